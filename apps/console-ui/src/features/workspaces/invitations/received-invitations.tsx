import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useAccount } from '../../../session/account';
import { Time } from '../../../time/time';
import { ConfirmDialog } from '../dialogs/confirm-dialog';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import {
  type ReceivedInvitation,
  receivedInvitationsQuery,
  useAcceptInvitation,
  useDeclineInvitation,
} from './invitation-queries';

/** The invitations of the signed-in person, to accept or decline. Nothing without one. */
export function ReceivedInvitations() {
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
              {t('conversations.more')}
            </Button>
          )}
        </Stack>
      )}
      {declined && (
        <ConfirmDialog
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
