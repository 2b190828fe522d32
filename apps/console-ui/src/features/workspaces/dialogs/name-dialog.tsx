import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { type Workspace } from '../workspace-queries';
import { useWorkspaceTexts } from '../workspace-texts';

const MOST_CHARACTERS = 100;

interface Props<Saved> {
  title: string;
  submitText: string;
  name?: string;
  save: UseMutationResult<Saved, Error, string>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
}

/** Asks for the name of a workspace. */
export function NameDialog<Saved = Workspace>({
  title,
  submitText,
  name = '',
  save,
  onSaved,
  onClose,
}: Props<Saved>) {
  const t = useWorkspaceTexts();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name },
    validate: { name: (value) => (value.trim() ? null : t('name.missing')) },
  });
  const submit = (values: typeof form.values) => {
    setFailure(undefined);
    save.mutate(values.name.trim(), {
      onSuccess: onSaved,
      onError: (error) => setFailure(showFieldErrors(form, error)),
    });
  };
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure !== undefined && <ErrorNotice error={failure} />}
          <TextInput
            label={t('name')}
            description={t('name.hint')}
            maxLength={MOST_CHARACTERS}
            required
            data-autofocus
            {...form.getInputProps('name')}
            key={form.key('name')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {submitText}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
