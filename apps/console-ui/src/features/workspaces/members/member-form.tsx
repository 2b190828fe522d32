import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { RoleHint, useRoleOptions } from '../role-options';
import { type Role } from '../roles';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { additionErrorKey } from './member-error';
import { useAddMember } from './member-queries';

/** Adds an account of the site to the workspace. */
export function MemberForm({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const t = useWorkspaceTexts();
  const roles = useRoleOptions('admin');
  const addition = useAddMember(workspaceId);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { email: '', role: 'viewer' as Role },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('email.invalid')) },
  });
  const submit = ({ email, role }: typeof form.values) => {
    setFailure(undefined);
    addition.mutate(
      { email: email.trim(), role },
      {
        onSuccess: onClose,
        onError: (error) => {
          const key = additionErrorKey(error);
          if (key) form.setFieldError('email', t(key));
          else setFailure(showFieldErrors(form, error));
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t('member.add')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure !== undefined && <ErrorNotice error={failure} />}
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
            <Button type="submit" loading={addition.isPending}>
              {t('member.add.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
