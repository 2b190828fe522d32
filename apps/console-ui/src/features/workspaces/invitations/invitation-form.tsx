import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { RoleHint, useRoleOptions } from '../role-options';
import { type Role } from '../roles';
import { useWorkspaceTexts } from '../workspace-texts';
import { useInvite } from './invitation-queries';

/** Invites an e-mail address to the workspace. */
export function InvitationForm({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const t = useWorkspaceTexts();
  const roles = useRoleOptions('admin');
  const invitation = useInvite(workspaceId);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { email: '', role: 'viewer' as Role },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('email.invalid')) },
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
    <Modal opened onClose={onClose} title={t('member.invite')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={invitation.isPending}>
              {t('member.invite.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
