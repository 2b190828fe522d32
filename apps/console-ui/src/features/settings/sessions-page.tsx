import { Badge, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorNotice } from '../../components/error-notice';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { SettingsPage } from './settings-page';
import { type ListedSession, sessionsQuery, useEndOtherSessions, useEndSession } from './settings-queries';
import { useSettingsTexts } from './settings-texts';

export function SessionsPage() {
  const t = useSettingsTexts();
  const query = useQuery(sessionsQuery(useConsoleApi()));
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
  const error = end.error ?? endOthers.error;
  const tell = () => notifications.show({ message: t('sessions.done') });
  const device = ({ device: name }: ListedSession) => (name === 'unknown' ? t('sessions.unknown') : name);
  const columns: Column<ListedSession>[] = [
    {
      key: 'device',
      title: t('sessions.device'),
      cell: (session) => (
        <Group gap="xs">
          <Text fw={500}>{device(session)}</Text>
          {session.current && (
            <Badge variant="default" tt="none">
              {t('sessions.current')}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'address',
      title: t('sessions.address'),
      place: 'more',
      cell: ({ ip_address: address }) => address ?? '–',
    },
    {
      key: 'used',
      title: t('sessions.used'),
      place: 'line',
      cell: ({ last_used_at: used }) => <Time value={used} />,
    },
    {
      key: 'created',
      title: t('sessions.created'),
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'actions',
      title: t('actions'),
      isTitleHidden: true,
      cell: (session) =>
        !session.current && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={end.isPending && end.variables === session.id}
            aria-label={t('sessions.endNamed', { device: device(session) })}
            onClick={() => end.mutate(session.id, { onSuccess: tell })}
          >
            {t('sessions.end')}
          </Button>
        ),
    },
  ];
  const hasOthers = query.data?.some(({ current }) => !current);
  return (
    <SettingsPage
      part="sessions"
      actions={
        hasOthers && (
          <Button
            variant="default"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate(undefined, { onSuccess: tell })}
          >
            {t('sessions.endOthers')}
          </Button>
        )
      }
    >
      {error && <ErrorNotice error={error} />}
      <QueryState query={query}>
        {(sessions) => (
          <DataTable label={t('sessions')} columns={columns} rows={sessions} keyOf={({ id }) => id} />
        )}
      </QueryState>
    </SettingsPage>
  );
}
