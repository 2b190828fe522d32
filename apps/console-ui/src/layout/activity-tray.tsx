import { ActionIcon, Anchor, Button, Indicator, Popover, Progress, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity as ActivityIcon } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { toApiError } from '../api/api-error';
import { useConsoleApi } from '../api/console-api';
import { useAccountId } from '../api/session';
import { nameOf, useAgentClients } from '../features/agents/agent-queries';
import { paymentsQuery } from '../features/wallet/wallet-queries';
import { formatAmount } from '../figures/format-figure';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { useLanguage } from '../language/language';
import classes from './activity-tray.module.css';
import { type Activity, activityStore } from '../activities/activity-store';
import {
  followedTurnsIn,
  forgetTurn,
  readFollowedTurns,
  subscribeToFollowedTurns,
} from '../activities/followed-turns';

const en = {
  title: 'Activities',
  running_one: 'Activities: {{count}} is running',
  running_other: 'Activities: {{count}} are running',
  empty: 'Nothing is running. Uploads, payments, agent answers and exports appear here.',
  clear: 'Clear finished activities',
  'kind.upload': 'Upload',
  'kind.export': 'Export',
  'kind.payment': 'Payment',
  'kind.turn': 'Agent answer',
  'state.running': 'Running',
  'state.done': 'Done',
  'state.failed': 'Failed',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '任务',
  running_other: '任务：{{count}} 个进行中',
  empty: '暂无进行中的任务。上传、付款、智能体对话和导出会显示在这里。',
  clear: '清除已结束的任务',
  'kind.upload': '上传',
  'kind.export': '导出',
  'kind.payment': '付款',
  'kind.turn': '智能体回答',
  'state.running': '进行中',
  'state.done': '已完成',
  'state.failed': '失败',
};

const useActivityTexts = defineTexts('activities', en, zh);

const POLL_MILLIS = 10_000;
const TURN_POLL_MILLIS = 3_000;

/** Everything long: of this tab, and what the services say about payments and turns. */
function useActivities(): Activity[] {
  const ofTab = useSyncExternalStore(activityStore.subscribe, activityStore.getAll);
  return [...ofTab, ...useTurns(), ...usePayments()];
}

function usePayments(): Activity[] {
  const { language } = useLanguage();
  const { data } = useInfiniteQuery({
    ...paymentsQuery(useConsoleApi()),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ payments }) => payments.some(({ status }) => status === 'pending'))
        ? POLL_MILLIS
        : false,
  });
  return (data ?? [])
    .filter(({ status, checkout }) => status === 'pending' && checkout)
    .map(({ id, amount, currency }) => ({
      id,
      kind: 'payment',
      title: formatAmount(amount, currency, language),
      state: 'running',
      to: `/payments/${id}`,
    }));
}

function useTurns(): Activity[] {
  const { calls } = useAgentClients();
  const accountId = useAccountId();
  const stored = useSyncExternalStore(subscribeToFollowedTurns, () => readFollowedTurns(accountId));
  const ids = followedTurnsIn(stored);
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['followed-turn', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const session = await calls.sessions.get(id, { signal });
        const isRunning = session.open_turns.some(({ status }) => status !== 'requires_action');
        return { isRunning, name: nameOf(session) };
      },
      refetchInterval: TURN_POLL_MILLIS,
      retry: false,
      staleTime: 0,
      // The answer about an earlier turn says nothing about the next one.
      gcTime: 0,
    })),
  });
  const ended = ids.filter((_id, index) => {
    const { data, error } = answers[index]!;
    // Deleted.
    return data?.isRunning === false || (error !== null && toApiError(error).status === 404);
  });
  const endedKey = ended.join(' ');
  useEffect(() => {
    if (endedKey) endedKey.split(' ').forEach((id) => forgetTurn(accountId, id));
  }, [accountId, endedKey]);
  return ids.flatMap((id, index) => {
    const { data } = answers[index]!;
    return data?.isRunning
      ? [{ id, kind: 'turn' as const, title: data.name, state: 'running' as const, to: `/agents/${id}` }]
      : [];
  });
}

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

/** Asks before the tab is closed or loaded anew. */
function useWarningBeforeLeaving(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isActive]);
}
