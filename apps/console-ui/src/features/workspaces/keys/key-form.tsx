import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { RoleHint, useRoleOptions } from '../role-options';
import { type Role } from '../roles';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { useWorkspace } from '../workspace-context';
import { type CreatedWorkspaceKey, useCreateWorkspaceKey } from './workspace-key-queries';

const MOST_CHARACTERS = 100;

interface Props {
  onCreated: (created: CreatedWorkspaceKey) => void;
  onCancel: () => void;
}

export function KeyForm({ onCreated, onCancel }: Props) {
  const t = useWorkspaceTexts();
  const { workspace } = useWorkspace();
  const creation = useCreateWorkspaceKey(workspace.id);
  const roles = useRoleOptions(workspace.role);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { name: '', role: 'viewer' as Role },
    validate: { name: (value) => (value.trim() ? null : t('name.missing')) },
  });
  const submit = ({ name, role }: typeof form.values) => {
    setFailure(undefined);
    creation.mutate(
      { name: name.trim(), role },
      { onSuccess: onCreated, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <TextInput
          label={t('name')}
          description={t('key.name.hint')}
          maxLength={MOST_CHARACTERS}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('column.role')}
          description={<RoleHint role={form.values.role} />}
          data={roles}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={creation.isPending}>
            {t('key.create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
