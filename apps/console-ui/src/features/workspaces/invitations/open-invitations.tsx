import { ActionIcon, Group, Stack, Title, Tooltip } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { QueryState } from '../../../components/query-state';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Time } from '../../../time/time';
import { ConfirmDialog } from '../dialogs/confirm-dialog';
import { useWorkspaceTexts } from '../workspace-texts';
import { type Invitation, invitationsQuery, useRevokeInvitation } from './invitation-queries';

/** Who is invited to the workspace and has not answered yet. Nothing while nobody is. */
export function OpenInvitations({ workspaceId }: { workspaceId: string }) {
  const t = useWorkspaceTexts();
  const query = useInfiniteQuery(invitationsQuery(useMemoApi(), workspaceId));
  const revoke = useRevokeInvitation(workspaceId);
  const [revoked, setRevoked] = useState<Invitation>();
  const columns: Column<Invitation>[] = [
    { key: 'email', title: t('email'), cell: ({ email }) => email },
    { key: 'role', title: t('column.role'), cell: ({ role }) => t(`role.${role}`) },
    { key: 'inviter', title: t('column.inviter'), cell: ({ invited_by: inviter }) => inviter },
    {
      key: 'expires',
      title: t('column.expires'),
      cell: ({ expires_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (invitation) => (
        <Group justify="flex-end">
          <Tooltip label={t('invitation.revoke')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('invitation.revoke.named', { email: invitation.email })}
              onClick={() => setRevoked(invitation)}
            >
              <X size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <>
      <QueryState query={query} isEmpty={({ pages }) => pages[0]?.invitations.length === 0} empty={null}>
        {({ pages }) => (
          <Stack gap="sm">
            <Title order={2} size="h4">
              {t('invitations')}
            </Title>
            <DataTable
              label={t('invitations')}
              columns={columns}
              rows={pages.flatMap(({ invitations }) => invitations)}
              keyOf={({ id }) => id}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          </Stack>
        )}
      </QueryState>
      {revoked && (
        <ConfirmDialog
          title={t('invitation.revoke.title', { email: revoked.email })}
          text={t('invitation.revoke.text')}
          confirmText={t('invitation.revoke')}
          action={() => revoke(revoked.id)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  );
}
