import { Anchor, Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../api/service-apis';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Bytes } from '../../figures/bytes';
import { Quantity } from '../../figures/quantity';
import { Time } from '../../time/time';
import { NameDialog } from './dialogs/name-dialog';
import { ReceivedInvitations } from './invitations/received-invitations';
import { useWorkspaceTexts } from './texts/workspace-texts';
import { useCreateWorkspace, type Workspace, workspacesQuery } from './workspace-queries';

export function WorkspacesPage() {
  const t = useWorkspaceTexts();
  const navigate = useNavigate();
  const query = useInfiniteQuery(workspacesQuery(useMemoApi()));
  const creation = useCreateWorkspace();
  const [isCreating, setIsCreating] = useState(false);
  const workspaces = query.data?.pages.flatMap((page) => page.workspaces);
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  const columns: Column<Workspace>[] = [
    {
      key: 'name',
      title: t('name'),
      cell: ({ id, name }) => (
        <Anchor
          fw={500}
          inherit
          renderRoot={(props) => <Link {...props} to="/workspaces/$id" params={{ id }} />}
        >
          {name}
        </Anchor>
      ),
    },
    { key: 'role', title: t('column.role'), cell: ({ role }) => t(`role.${role}`) },
    {
      key: 'documents',
      title: t('documents'),
      isNumber: true,
      cell: ({ document_count: count }) => <Quantity value={count} />,
    },
    {
      key: 'bytes',
      title: t('column.size'),
      isNumber: true,
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
  ];
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={workspaces?.length ? createButton : null}
    >
      <ReceivedInvitations />
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.workspaces.length === 0}
        empty={
          <EmptyState title={t('empty')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {() => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={workspaces ?? []}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isCreating && (
        <NameDialog
          title={t('create')}
          submitText={t('create.submit')}
          save={creation}
          onSaved={({ id }) => void navigate({ to: '/workspaces/$id', params: { id } })}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Page>
  );
}
