import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult } from '@tanstack/react-query';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Confirmation } from '../settings-queries';
import { useSettingsTexts } from '../texts/settings-texts';

interface Props<Answer> {
  title: string;
  text: string;
  hasPassword: boolean;
  change: UseMutationResult<Answer, Error, Confirmation>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}

/** Asks for the password and a code before the second factor changes. */
export function ConfirmDialog<Answer>({ title, text, hasPassword, change, onDone, onClose }: Props<Answer>) {
  const t = useSettingsTexts();
  const form = useForm({
    initialValues: { password: '', code: '' },
    validate: {
      password: (value) => (value || !hasPassword ? null : t('password.currentMissing')),
      code: (value) => (value.trim() ? null : t('confirm.codeMissing')),
    },
  });
  const submit = ({ password, code }: typeof form.values) =>
    change.mutate(
      { code: code.trim(), ...(hasPassword && { password }) },
      { onSuccess: onDone, onError: () => form.setFieldValue('code', '') },
    );
  const isRefused = change.error && [400, 403].includes(toApiError(change.error).status);
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {change.error && (
            <ErrorNotice
              error={change.error}
              {...(isRefused && { message: t(hasPassword ? 'confirm.refused' : 'confirm.signInAgain') })}
            />
          )}
          <Text size="md">{text}</Text>
          {hasPassword && (
            <PasswordInput
              label={t('confirm.password')}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps('password')}
            />
          )}
          <TextInput
            label={t('confirm.code')}
            description={t('confirm.codeHint')}
            autoComplete="one-time-code"
            spellCheck={false}
            required
            {...form.getInputProps('code')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t('confirm.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
