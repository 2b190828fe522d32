import { Anchor, Group, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed } from 'lucide-react';
import classes from './overview.module.css';
import { type StepName, STEPS } from './steps';
import { useOverviewTexts } from './texts/overview-texts';

const PAGES = { topUp: '/top-up', key: '/keys', call: undefined } as const;

/** What a new account does, with what it has done already. */
export function FirstSteps({ done }: { done: ReadonlySet<StepName> }) {
  const t = useOverviewTexts();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2}>{t('steps')}</Title>
          <Text size="md" c="dimmed">
            {t('steps.done', { count: done.size })}
          </Text>
        </Group>
        <ol className={classes.steps}>
          {STEPS.map((step) => {
            const isDone = done.has(step);
            const Mark = isDone ? CircleCheck : CircleDashed;
            const page = PAGES[step];
            return (
              <li key={step} className={classes.step} data-done={isDone || undefined}>
                <Mark size={20} className={classes.mark} aria-hidden />
                <div>
                  <VisuallyHidden>{isDone ? t('step.isDone') : t('step.isOpen')}: </VisuallyHidden>
                  {page === undefined || isDone ? (
                    <Text span size="md" fw={500}>
                      {t(`step.${step}`)}
                    </Text>
                  ) : (
                    <Anchor component={Link} to={page} size="md" fw={500}>
                      {t(`step.${step}`)}
                    </Anchor>
                  )}
                  <Text size="md" c="dimmed">
                    {t(`step.${step}.text`)}
                  </Text>
                </div>
              </li>
            );
          })}
        </ol>
      </Stack>
    </Paper>
  );
}
