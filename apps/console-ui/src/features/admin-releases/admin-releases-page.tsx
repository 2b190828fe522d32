import { Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { useAdminReleasesTexts } from './admin-releases-texts';
import { ReleaseDialog } from './release-dialog';
import {
  type AdminRelease,
  contentOf,
  followedQuery,
  type FollowedRepository,
  releasesQuery,
  useDeleteRelease,
  usePutRelease,
} from './release-queries';

export function AdminReleasesPage() {
  const t = useAdminReleasesTexts();
  const query = useInfiniteQuery(releasesQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const [act, setAct] = useState<{ action: ReleaseAction; release: AdminRelease }>();
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page title={t('title')} description={t('description')} actions={createButton}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ releases }) => releases.length === 0)}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <ReleaseTable
            releases={pages.flatMap(({ releases }) => releases)}
            onAct={(action, release) => setAct({ action, release })}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      <FollowedTable />
      {isCreating && <ReleaseDialog onClose={() => setIsCreating(false)} />}
      {act && <ReleaseActionDialog {...act} onClose={() => setAct(undefined)} />}
    </Page>
  );
}

interface Props {
  action: ReleaseAction;
  release: AdminRelease;
  onClose: () => void;
}

/** Asks before a release is published, withdrawn or deleted. */
function ReleaseActionDialog({ action, release, onClose }: Props) {
  const t = useAdminReleasesTexts();
  const put = usePutRelease();
  const deletion = useDeleteRelease();
  const doing = action === 'delete' ? deletion : put;
  const { component, tag_name: tag } = release;
  const name = `${component} ${tag}`;
  const onSuccess = () => {
    notifications.show({ message: t(`${action}.done`, { name }) });
    onClose();
  };
  const confirm = () =>
    action === 'delete'
      ? deletion.mutate({ component, tag }, { onSuccess })
      : put.mutate({ component, tag, ...contentOf(release, action === 'withdraw') }, { onSuccess });
  return (
    <ConfirmDialog
      title={t(`${action}.title`, { name })}
      text={t(`${action}.text`)}
      confirmText={t(action)}
      isDanger={action === 'delete'}
      doing={doing}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

/** The repositories at the code host whose releases appear by themselves. */
function FollowedTable() {
  const t = useAdminReleasesTexts();
  const query = useQuery(followedQuery(useConsoleApi()));
  const columns: Column<FollowedRepository>[] = [
    { key: 'component', title: t('component'), cell: ({ component }) => <Code>{component}</Code> },
    {
      key: 'repository',
      title: t('followed.repository'),
      place: 'status',
      cell: ({ repository }) => <Code>{repository}</Code>,
    },
    { key: 'tag', title: t('followed.newest'), place: 'figure', cell: ({ tag_name: tag }) => tag ?? '–' },
    {
      key: 'state',
      title: t('column.state'),
      place: 'status',
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

type ReleaseAction = 'publish' | 'withdraw' | 'delete';

interface ReleaseTableProps {
  releases: AdminRelease[];
  onAct: (action: ReleaseAction, release: AdminRelease) => void;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

const keyOfRelease = ({ component, tag_name, source }: AdminRelease) => `${component} ${tag_name} ${source}`;

function ReleaseTable({ releases, onAct, onMore, isLoadingMore }: ReleaseTableProps) {
  const t = useAdminReleasesTexts();
  const button = (action: ReleaseAction, release: AdminRelease) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t(`${action}.named`, { name: `${release.component} ${release.tag_name}` })}
      onClick={() => onAct(action, release)}
    >
      {t(action)}
    </Button>
  );
  const columns: Column<AdminRelease>[] = [
    {
      key: 'component',
      title: t('component'),
      place: 'status',
      cell: ({ component }) => <Code>{component}</Code>,
    },
    { key: 'tag', title: t('tag'), place: 'figure', cell: ({ tag_name: tag }) => <Code>{tag}</Code> },
    { key: 'name', title: t('name'), place: 'title', cell: ({ name }) => name },
    { key: 'source', title: t('column.source'), cell: ({ source }) => t(`source.${source}`) },
    {
      key: 'state',
      title: t('column.state'),
      place: 'status',
      cell: ({ draft, prerelease }) => (
        <Group gap={4} wrap="nowrap">
          <Badge miw="max-content" variant="light" color={draft ? 'gray' : 'teal'} tt="none">
            {t(draft ? 'state.hidden' : 'state.published')}
          </Badge>
          {prerelease && (
            <Badge miw="max-content" variant="light" color="orange" tt="none">
              {t('prerelease')}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'files', title: t('files'), isNumber: true, cell: ({ assets }) => assets.length },
    {
      key: 'published',
      title: t('column.published'),
      cell: ({ published_at: at }) => (at ? <Time value={at} detail="day" /> : '–'),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (release) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {!release.draft && button('withdraw', release)}
          {release.draft && release.assets.length > 0 && button('publish', release)}
          {release.source === 'admin' && button('delete', release)}
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={releases}
      keyOf={keyOfRelease}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}
