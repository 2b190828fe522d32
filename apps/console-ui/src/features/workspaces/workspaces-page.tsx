import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../api/service-apis';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { ListPages, ListTools, NothingFound } from '../../components/list-tools';
import { type ListView, rowsOfPage } from '../../components/list-view';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes, Quantity } from '../../figures/figure-text';
import { useAccount } from '../../api/account';
import { Time } from '../../time/time';
import { ActionDialog, NameDialog } from './dialogs';
import {
  type ReceivedInvitation,
  receivedInvitationsQuery,
  useAcceptInvitation,
  useDeclineInvitation,
} from './invitation-queries';
import { useCreateWorkspace, type Workspace, workspacesQuery } from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';
import { WORKSPACE_ORDERS, type WorkspaceOrder } from './workspace-search';
import { chosenWorkspaces } from './workspace-view';
import classes from './workspaces.module.css';

export function WorkspacesPage() {
  const t = useWorkspaceTexts();
  const navigate = useNavigate();
  const query = useQuery(workspacesQuery(useMemoApi()));
  const creation = useCreateWorkspace();
  const [isCreating, setIsCreating] = useState(false);
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={query.data?.length ? createButton : null}
    >
      <ReceivedInvitations />
      <QueryState
        query={query}
        isEmpty={(workspaces) => workspaces.length === 0}
        empty={
          <EmptyState title={t('empty')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {(workspaces) => <WorkspaceList workspaces={workspaces} />}
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

/** So few are seen without search and order. */
const FEW_WORKSPACES = 5;

/** The workspaces that the address chooses. */
function WorkspaceList({ workspaces }: { workspaces: Workspace[] }) {
  const t = useWorkspaceTexts();
  const view = useSearch({ from: '/console/workspaces' });
  const navigate = useNavigate();
  const show = (search: ListView<WorkspaceOrder>) =>
    void navigate({ to: '/workspaces', search, replace: true });
  const found = chosenWorkspaces(workspaces, view);
  const columns: Column<Workspace>[] = [
    {
      key: 'name',
      title: t('name'),
      cell: ({ id, name }) => (
        <Anchor
          fw={500}
          inherit
          className={classes.name!}
          renderRoot={(props) => <Link {...props} to="/workspaces/$id" params={{ id }} />}
        >
          <MiddleCut text={name} />
        </Anchor>
      ),
    },
    { key: 'role', title: t('column.role'), place: 'status', cell: ({ role }) => t(`role.${role}`) },
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
    <Stack gap="md">
      {(workspaces.length > FEW_WORKSPACES || view.q !== undefined) && (
        <ListTools
          hint={t('name')}
          orders={WORKSPACE_ORDERS.map((order) => ({ value: order, label: t(`sort.${order}`) }))}
          view={view}
          onChange={show}
        />
      )}
      {found.length === 0 ? (
        <NothingFound title={t('search.none')} allText={t('search.all')} onAll={() => show({})} />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rowsOfPage(found, view.page)}
          keyOf={({ id }) => id}
        />
      )}
      <ListPages rows={found.length} page={view.page} onChange={(page) => show({ ...view, page })} />
    </Stack>
  );
}

/** The invitations of the signed-in person, to accept or decline. Nothing without one. */
function ReceivedInvitations() {
  const t = useWorkspaceTexts();
  const navigate = useNavigate();
  const account = useAccount().data;
  const query = useInfiniteQuery(receivedInvitationsQuery(useMemoApi()));
  const acceptance = useAcceptInvitation();
  const decline = useDeclineInvitation();
  const [declined, setDeclined] = useState<ReceivedInvitation>();
  const invitations = query.data?.pages.flatMap((page) => page.invitations) ?? [];
  const accept = (id: string) =>
    acceptance.mutate(id, {
      onSuccess: (workspace) => void navigate({ to: '/workspaces/$id', params: { id: workspace.id } }),
    });
  return (
    <>
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {acceptance.error && <ErrorNotice error={acceptance.error} />}
      {account?.email_verified === false && (
        <Text size="md" c="dimmed">
          {t('invitations.unconfirmed')}
        </Text>
      )}
      {invitations.length > 0 && (
        <Stack component="section" gap="sm" aria-label={t('invitations.received')}>
          {invitations.map((invitation) => (
            <Paper key={invitation.id} withBorder p="md">
              <Group justify="space-between" gap="sm">
                <Stack gap={2}>
                  <Text fw={500}>{t('invitation.to', { name: invitation.workspace_name })}</Text>
                  <Text size="sm" c="dimmed">
                    {t('invitation.from', {
                      inviter: invitation.invited_by,
                      role: t(`role.${invitation.role}`),
                    })}{' '}
                    {t('invitation.until')} <Time value={invitation.expires_at} detail="day" />
                  </Text>
                </Stack>
                <Group gap="sm">
                  <Button
                    variant="default"
                    aria-label={t('invitation.decline.named', { name: invitation.workspace_name })}
                    onClick={() => setDeclined(invitation)}
                  >
                    {t('invitation.decline')}
                  </Button>
                  <Button
                    aria-label={t('invitation.accept.named', { name: invitation.workspace_name })}
                    loading={acceptance.isPending && acceptance.variables === invitation.id}
                    onClick={() => accept(invitation.id)}
                  >
                    {t('invitation.accept')}
                  </Button>
                </Group>
              </Group>
            </Paper>
          ))}
          {query.hasNextPage && (
            <Button
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {t('more')}
            </Button>
          )}
        </Stack>
      )}
      {declined && (
        <ActionDialog
          title={t('invitation.decline.title', { name: declined.workspace_name })}
          text={t('invitation.decline.text')}
          confirmText={t('invitation.decline')}
          action={() => decline(declined.id)}
          onClose={() => setDeclined(undefined)}
        />
      )}
    </>
  );
}
