import { Badge, Code, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Time } from '../../time/time';
import { type FollowedRepository, followedQuery } from './release-queries';
import { useAdminReleasesTexts } from './texts/admin-releases-texts';

/** The repositories at the code host whose releases appear by themselves. */
export function FollowedTable() {
  const t = useAdminReleasesTexts();
  const query = useQuery(followedQuery(useConsoleApi()));
  const columns: Column<FollowedRepository>[] = [
    { key: 'component', title: t('component'), cell: ({ component }) => <Code>{component}</Code> },
    {
      key: 'repository',
      title: t('followed.repository'),
      cell: ({ repository }) => <Code>{repository}</Code>,
    },
    { key: 'tag', title: t('followed.newest'), cell: ({ tag_name: tag }) => tag ?? '–' },
    {
      key: 'state',
      title: t('column.state'),
      cell: ({ last_error: error }) =>
        error === null ? (
          <Badge miw="max-content" variant="light" color="teal" tt="none">
            {t('followed.good')}
          </Badge>
        ) : (
          <Badge miw="max-content" variant="light" color="red" tt="none" title={error}>
            {t('followed.failed')}
          </Badge>
        ),
    },
    {
      key: 'checked',
      title: t('followed.checked'),
      cell: ({ checked_at: at }) => (at ? <Time value={at} /> : '–'),
    },
    { key: 'next', title: t('followed.next'), cell: ({ next_check_at: at }) => <Time value={at} /> },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('followed')}</Title>
      <QueryState
        query={query}
        isEmpty={(repositories) => repositories.length === 0}
        empty={<Text c="dimmed">{t('followed.none')}</Text>}
      >
        {(repositories) => (
          <DataTable
            label={t('followed')}
            columns={columns}
            rows={repositories}
            keyOf={({ component }) => component}
          />
        )}
      </QueryState>
    </Stack>
  );
}
