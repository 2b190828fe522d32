import { ActionIcon, Anchor, Button, Indicator, Popover, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Activity as ActivityIcon } from 'lucide-react';
import { type Activity, activityStore } from './activity-store';
import classes from './activities.module.css';
import { useActivityTexts } from './texts/activity-texts';
import { useActivities } from './use-activities';
import { useWarningBeforeLeaving } from './use-warning-before-leaving';

const PERCENT = 100;

/** How many long things run, and a list of them with links. */
export function ActivityTray() {
  const t = useActivityTexts();
  const activities = useActivities();
  useWarningBeforeLeaving(activities.some(({ kind, state }) => kind === 'upload' && state === 'running'));
  const running = activities.filter(({ state }) => state === 'running').length;
  return (
    <Popover position="bottom-end" width={320} trapFocus>
      <Indicator label={running} disabled={running === 0} size={16} offset={6}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={running === 0 ? t('title') : t('running', { count: running })}
          >
            <ActivityIcon size={18} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown role="dialog" aria-label={t('title')}>
        <Stack gap="sm">
          <Text fw={600}>{t('title')}</Text>
          {activities.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('empty')}
            </Text>
          )}
          {activities.length > 0 && (
            <ul className={classes.list}>
              {activities.map((activity) => (
                <Item key={activity.id} activity={activity} />
              ))}
            </ul>
          )}
          {activities.length > running && (
            <Button size="xs" variant="default" onClick={() => activityStore.clear()}>
              {t('clear')}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Item({ activity: { kind, title, state, progress, to } }: { activity: Activity }) {
  const t = useActivityTexts();
  return (
    <li>
      <Text size="sm" c="dimmed">
        {t(`kind.${kind}`)} · {t(`state.${state}`)}
      </Text>
      {to === undefined ? (
        <Text className={classes.title}>{title}</Text>
      ) : (
        <Anchor component={Link} to={to} className={classes.title}>
          {title}
        </Anchor>
      )}
      {state === 'running' && progress !== undefined && (
        <Progress value={progress * PERCENT} aria-label={title} mt={4} />
      )}
    </li>
  );
}
