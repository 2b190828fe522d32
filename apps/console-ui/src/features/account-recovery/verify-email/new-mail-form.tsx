import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { useSessionState } from '../../../session/session-context';
import { DoneNotice } from '../done-notice';
import { useRecoveryTexts } from '../texts/recovery-texts';

/** Asks for a new mail with a link. */
export function NewMailForm() {
  const t = useRecoveryTexts();
  const api = useConsoleApi();
  const session = useSessionState();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: session.status === 'signed-in' ? session.user.email : '' },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('email.invalid')) },
  });
  const request = useMutation({
    mutationFn: (email: string) =>
      bodyOf(api.POST('/api/auth/email/verify', { body: { email: email.trim() } })),
    onMutate: () => setFailure(undefined),
    onError: (error) => setFailure(showFieldErrors(form, error)),
  });
  if (request.isSuccess) return <DoneNotice title={t('newMail.sent')}>{t('newMail.sentText')}</DoneNotice>;
  return (
    <form onSubmit={form.onSubmit(({ email }) => request.mutate(email))} noValidate>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <Text size="md">{t('newMail.text')}</Text>
        <TextInput
          label={t('email')}
          type="email"
          autoComplete="email"
          required
          {...form.getInputProps('email')}
          key={form.key('email')}
        />
        <Button type="submit" variant="default" loading={request.isPending}>
          {t('newMail.submit')}
        </Button>
      </Stack>
    </form>
  );
}
