import { Badge, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { SettingsPage } from './settings-page';
import { type SecurityEvent, securityEventsQuery } from './settings-queries';
import { useSettingsTexts } from './settings-texts';
import classes from './settings.module.css';
import { eventTextKey } from './text-keys';

export function EventsPage() {
  const t = useSettingsTexts();
  const query = useInfiniteQuery(securityEventsQuery(useConsoleApi()));
  const columns: Column<SecurityEvent>[] = [
    {
      key: 'time',
      title: t('events.time'),
      place: 'status',
      cell: ({ created_at: at }) => <Time value={at} detail="second" />,
    },
    {
      key: 'what',
      title: t('events.what'),
      place: 'title',
      cell: ({ type, actor }) => (
        <Group gap="xs">
          <Text fw={500} title={type}>
            {t(eventTextKey(type))}
          </Text>
          {actor === 'admin' && (
            <Badge variant="default" tt="none">
              {t('events.byAdmin')}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'address', title: t('sessions.address'), cell: ({ address }) => address ?? '–' },
    {
      key: 'program',
      title: t('events.program'),
      place: 'more',
      cell: ({ user_agent: program }) =>
        program ? (
          <span className={classes.program} title={program}>
            {program}
          </span>
        ) : (
          '–'
        ),
    },
  ];
  return (
    <SettingsPage part="events">
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.events.length === 0}
        empty={<EmptyState title={t('events.empty')}>{t('events.emptyText')}</EmptyState>}
      >
        {({ pages }) => (
          <DataTable
            label={t('events')}
            columns={columns}
            rows={pages.flatMap(({ events }) => events)}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </SettingsPage>
  );
}
