import { ActionIcon, Group, Select, Stack, TextInput, Title, Tooltip } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useMemoApi } from '../../api/service-apis';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { ActionDialog, RoleHint, useRoleOptions } from './dialogs';
import { type Invitation, invitationsQuery, useInvite, useRevokeInvitation } from './invitation-queries';
import { type Role } from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';

/** Invites an e-mail address to the workspace. */
export function InvitationForm({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const t = useWorkspaceTexts();
  const roles = useRoleOptions('admin');
  const invitation = useInvite(workspaceId);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { email: '', role: 'viewer' as Role },
    validate: { email: (value) => (/^\S+[@＠]\S+$/.test(value.trim()) ? null : t('email.invalid')) },
  });
  const submit = ({ email, role }: typeof form.values) => {
    setFailure(undefined);
    invitation.mutate(
      { email: email.trim(), role },
      {
        onSuccess: onClose,
        onError: (error) => {
          if (toApiError(error).status === 409) form.setFieldError('email', t('invitation.exists'));
          else setFailure(showFieldErrors(form, error));
        },
      },
    );
  };
  const isForbidden = failure !== undefined && toApiError(failure).status === 403;
  return (
    <FormDialog
      title={t('member.invite')}
      submitText={t('member.invite.submit')}
      isPending={invitation.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && (
        <ErrorNotice error={failure} {...(isForbidden && { message: t('invitation.forbidden') })} />
      )}
      <TextInput
        label={t('email')}
        description={t('email.hint')}
        type="email"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Select
        label={t('column.role')}
        description={<RoleHint role={form.values.role} />}
        data={roles}
        allowDeselect={false}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}

/** Who is invited to the workspace and has not answered yet. Nothing while nobody is. */
export function OpenInvitations({ workspaceId }: { workspaceId: string }) {
  const t = useWorkspaceTexts();
  const query = useInfiniteQuery(invitationsQuery(useMemoApi(), workspaceId));
  const revoke = useRevokeInvitation(workspaceId);
  const [revoked, setRevoked] = useState<Invitation>();
  const columns: Column<Invitation>[] = [
    { key: 'email', title: t('email'), cell: ({ email }) => <MiddleCut text={email} /> },
    { key: 'role', title: t('column.role'), place: 'status', cell: ({ role }) => t(`role.${role}`) },
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
        <ActionDialog
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
