import { Anchor, Button, Group, Pagination, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../api/service-apis';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes, Quantity } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
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

const PAGE_SIZE = 20;
/** From there on there is something to search. */
const LEAST_TO_SEARCH = 6;

/** By the value of the field. Texts are compared in the language of the page. */
const ORDERS: Record<Order, (collator: Intl.Collator) => (one: Workspace, other: Workspace) => number> = {
  newest: () => (one, other) => other.created_at.localeCompare(one.created_at),
  name: (collator) => (one, other) => collator.compare(one.name, other.name),
  documents: () => (one, other) => other.document_count.compare(one.document_count),
  size: () => (one, other) => other.bytes.compare(one.bytes),
};
type Order = 'newest' | 'name' | 'documents' | 'size';

function WorkspaceList({ workspaces }: { workspaces: Workspace[] }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const [search, setSearch] = useState('');
  const [order, setOrder] = useState<Order>('newest');
  const [wantedPage, setWantedPage] = useState(1);
  const wanted = search.trim().toLocaleLowerCase(language);
  const found = workspaces
    .filter(({ name }) => name.toLocaleLowerCase(language).includes(wanted))
    .sort(ORDERS[order](new Intl.Collator(language, { numeric: true })));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(wantedPage, pages);
  const columns: Column<Workspace>[] = [
    {
      key: 'name',
      title: t('name'),
      cell: ({ id, name }) => (
        <Anchor
          fw={500}
          inherit
          className={classes.name!}
          title={name}
          renderRoot={(props) => <Link {...props} to="/workspaces/$id" params={{ id }} />}
        >
          {name}
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
      {workspaces.length >= LEAST_TO_SEARCH && (
        <Group gap="sm" align="end">
          <TextInput
            type="search"
            label={t('search')}
            leftSection={<Search size={16} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <Select
            label={t('sort')}
            data={Object.keys(ORDERS).map((value) => ({ value, label: t(`sort.${value as Order}`) }))}
            value={order}
            allowDeselect={false}
            onChange={(value) => value && setOrder(value as Order)}
          />
        </Group>
      )}
      {found.length === 0 ? (
        <Text c="dimmed">{t('search.none')}</Text>
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          keyOf={({ id }) => id}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={setWantedPage}
          getItemProps={(number) => ({ 'aria-label': t('page', { page: number, pages }) })}
          getControlProps={(control) => ({
            'aria-label': t(control === 'next' ? 'page.next' : 'page.previous'),
          })}
          aria-label={t('pages')}
        />
      )}
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
