import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { HOME } from '../../../app/router/layout-routes';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { useSessionState } from '../../../session/session-context';
import { SignInFrame } from '../../sign-in/sign-in-frame';
import { DoneNotice } from '../done-notice';
import { useRecoveryTexts } from '../recovery-texts';
import { useMailToken } from '../use-mail-token';
import { ConfirmationForm } from './confirmation-form';

/** A link of a mail leads here with its token; without a link people enter the code of the mail, or ask for a new one. */
export function VerifyEmailPage() {
  const t = useRecoveryTexts();
  const token = useMailToken();
  const { status } = useSessionState();
  const [isDone, setIsDone] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  if (isDone)
    return (
      <SignInFrame title={t('verify.title')}>
        <DoneNotice title={t('verify.done')}>{t('verify.doneText')}</DoneNotice>
        <Button component={Link} to={status === 'signed-out' ? '/sign-in' : HOME}>
          {status === 'signed-out' ? t('signIn.go') : t('verify.goOn')}
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame title={t('verify.title')}>
      <ConfirmationForm token={token} onDone={() => setIsDone(true)} onRefused={() => setIsRefused(true)} />
      {(token === undefined || isRefused) && (
        <>
          <Divider />
          <NewMailForm />
        </>
      )}
    </SignInFrame>
  );
}

/** Asks for a new mail with a link. */
function NewMailForm() {
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
