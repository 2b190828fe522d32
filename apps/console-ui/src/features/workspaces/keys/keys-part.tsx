import { ActionIcon, Button, Code, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { EmptyState } from '../../../components/empty-state';
import { QueryState } from '../../../components/query-state';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Time } from '../../../time/time';
import { ConfirmDialog } from '../dialogs/confirm-dialog';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { useWorkspace } from '../workspace-context';
import { KeyCreation } from './key-creation';
import { useDeleteWorkspaceKey, type WorkspaceKey, workspaceKeysQuery } from './workspace-key-queries';

/** The keys by which programs use the workspace: all of them for an admin, otherwise the own ones. */
export function KeysPart() {
  const t = useWorkspaceTexts();
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery(workspaceKeysQuery(useMemoApi(), workspace.id));
  const deleteKey = useDeleteWorkspaceKey(workspace.id);
  const [isCreating, setIsCreating] = useState(false);
  const [deleted, setDeleted] = useState<WorkspaceKey>();
  const isEmpty = query.data?.pages[0]?.keys.length === 0;
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('key.create')}
    </Button>
  );
  const columns: Column<WorkspaceKey>[] = [
    { key: 'name', title: t('name'), cell: ({ name }) => name },
    { key: 'prefix', title: t('column.key'), cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { key: 'role', title: t('column.role'), cell: ({ effective_role: role }) => t(`role.${role}`) },
    {
      key: 'created',
      title: t('column.created'),
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'used',
      title: t('column.used'),
      cell: ({ last_used_at: at }) =>
        at ? (
          <Time value={at} />
        ) : (
          <Text span inherit c="dimmed">
            {t('used.never')}
          </Text>
        ),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (key) => (
        <Group justify="flex-end">
          <Tooltip label={t('delete')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('key.delete.named', { name: key.name })}
              onClick={() => setDeleted(key)}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="md">
      {!isEmpty && (
        <Group justify="space-between" gap="sm">
          <Text size="md" c="dimmed" maw="65ch">
            {t('keys.description')}
          </Text>
          {createButton}
        </Group>
      )}
      <QueryState
        query={query}
        isEmpty={() => isEmpty}
        empty={
          <EmptyState title={t('keys.empty')} action={createButton}>
            {t('keys.description')}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <DataTable
            label={t('keys')}
            columns={columns}
            rows={pages.flatMap(({ keys }) => keys)}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isCreating && <KeyCreation onClose={() => setIsCreating(false)} />}
      {deleted && (
        <ConfirmDialog
          title={t('key.delete.title', { name: deleted.name })}
          text={t('key.delete.text')}
          confirmText={t('delete')}
          action={() => deleteKey(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}
