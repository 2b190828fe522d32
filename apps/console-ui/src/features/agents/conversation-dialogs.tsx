import { type Session } from '@inference/agent-client';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { MAX_NAME_CHARS, nameOf, useDeleteSessions, useRenameSession } from './agent-queries';
import { useAgentTexts } from './agent-texts';

export function RenameDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const t = useAgentTexts();
  const renaming = useRenameSession();
  const form = useForm({
    initialValues: { name: nameOf(session) },
    validate: { name: (value) => (value.trim() ? null : t('name.missing')) },
  });
  return (
    <FormDialog
      title={t('rename.title')}
      submitText={t('rename.submit')}
      isPending={renaming.isPending}
      onSubmit={form.onSubmit(({ name }) => renaming.mutate({ session, name }, { onSuccess: onClose }))}
      onClose={onClose}
    >
      {renaming.error && <ErrorNotice error={renaming.error} />}
      <TextInput
        label={t('name')}
        maxLength={MAX_NAME_CHARS}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}

interface DeletionProps {
  sessions: Session[];
  onDeleted: () => void;
  onClose: () => void;
}

/** Asks before conversations are deleted. */
export function DeletionDialog({ sessions, onDeleted, onClose }: DeletionProps) {
  const t = useAgentTexts();
  const deletion = useDeleteSessions();
  const [first] = sessions;
  const isOne = sessions.length === 1 && first !== undefined;
  const confirm = () =>
    deletion.mutate(sessions, {
      onSuccess: () => {
        notifications.show({ message: t('delete.done', { count: sessions.length }) });
        onClose();
        onDeleted();
      },
    });
  return (
    <ConfirmDialog
      title={
        isOne ? t('delete.title', { name: nameOf(first) }) : t('delete.several', { number: sessions.length })
      }
      text={t('delete.text')}
      confirmText={t('delete')}
      doing={deletion}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
