import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { useAdminChangelogTexts } from './admin-changelog-texts';
import { entriesQuery, type Entry, EntryDialog, useDeleteEntry } from './entry-dialog';

export function AdminChangelogPage() {
  const t = useAdminChangelogTexts();
  const query = useInfiniteQuery(entriesQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const [edited, setEdited] = useState<Entry>();
  const [deleted, setDeleted] = useState<Entry>();
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  const columns: Column<Entry>[] = [
    { key: 'title', title: t('column.title'), cell: ({ title }) => <MiddleCut text={title} /> },
    {
      key: 'component',
      title: t('column.component'),
      place: 'status',
      cell: ({ component, tag_name: tag }) => [component, tag].filter(Boolean).join(' ') || '–',
    },
    {
      key: 'published',
      title: t('column.published'),
      cell: ({ published_at }) => <Time value={published_at} />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (entry) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label={t('edit')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('edit.named', { title: entry.title })}
              onClick={() => setEdited(entry)}
            >
              <Pencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('delete')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('delete.named', { title: entry.title })}
              onClick={() => setDeleted(entry)}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <Page title={t('title')} description={t('description')} actions={createButton}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ entries }) => entries.length === 0)}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={pages.flatMap(({ entries }) => entries)}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isCreating && <EntryDialog onClose={() => setIsCreating(false)} />}
      {edited && <EntryDialog entry={edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteEntryDialog entry={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

function DeleteEntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useAdminChangelogTexts();
  const deletion = useDeleteEntry();
  const confirm = () =>
    deletion.mutate(entry.id, {
      onSuccess: () => {
        notifications.show({ message: t('delete.done') });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('delete.title', { title: entry.title })}
      text={t('delete.text')}
      confirmText={t('delete')}
      doing={deletion}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
