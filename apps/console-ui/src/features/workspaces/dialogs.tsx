import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { type Role, rolesUpTo, type Workspace } from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';

interface Props {
  title: string;
  text: string;
  confirmText: string;
  /** What is done; the dialog closes when it has succeeded, and shows why it has not. */
  action: () => Promise<unknown>;
  /** What an error means here; undefined if it says all. */
  messageOf?: (error: Error) => string | undefined;
  onDone?: () => void;
  onClose: () => void;
}

/** Asks before something is deleted, and does it. */
export function ActionDialog({ title, text, confirmText, action, messageOf, onDone, onClose }: Props) {
  const doing = useMutation({ mutationFn: action });
  const confirm = () =>
    doing.mutate(undefined, {
      onSuccess: () => {
        onClose();
        onDone?.();
      },
    });
  return (
    <ConfirmDialog
      title={title}
      text={text}
      confirmText={confirmText}
      doing={doing}
      errorText={doing.error ? messageOf?.(doing.error) : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

/** What a field offers to somebody with a role. */
export function useRoleOptions(own: Role): { value: Role; label: string }[] {
  const t = useWorkspaceTexts();
  return rolesUpTo(own).map((role) => ({ value: role, label: t(`role.${role}`) }));
}

/** What a role may do. */
export function RoleHint({ role }: { role: Role }) {
  const t = useWorkspaceTexts();
  return t(`role.${role}.hint`);
}

const MOST_CHARACTERS = 100;

interface NameDialogProps<Saved> {
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
}: NameDialogProps<Saved>) {
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
    <FormDialog
      title={title}
      submitText={submitText}
      isPending={save.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
