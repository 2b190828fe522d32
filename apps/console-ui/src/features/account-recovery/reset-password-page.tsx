import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSession } from '../../api/session';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { SignInFrame } from '../sign-in/sign-in-frame';
import { DoneNotice, FooterLink } from './recovery-parts';
import { useMailToken } from './use-mail-token';
import { useRecoveryTexts } from './recovery-texts';

const MIN_PASSWORD_LENGTH = 8;

/** `token`: of the link in the mail. Without it the form asks for the code of the mail, which is the same. */
function NewPasswordForm({ token, onDone }: { token: string | undefined; onDone: () => void }) {
  const t = useRecoveryTexts();
  const api = useConsoleApi();
  const session = useSession();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { token: token ?? '', password: '' },
    validate: {
      token: (value) => (value.trim() ? null : t('code.missing')),
      password: (value) =>
        value.length >= MIN_PASSWORD_LENGTH ? null : t('password.short', { count: MIN_PASSWORD_LENGTH }),
    },
  });
  const reset = useMutation({
    mutationFn: (values: typeof form.values) =>
      bodyOf(api.POST('/api/auth/password/reset', { body: { ...values, token: values.token.trim() } })),
    onMutate: () => setFailure(undefined),
    onSuccess: async () => {
      // The service has ended all sessions, also this browser's.
      if (session.token !== undefined) await session.signOut();
      onDone();
    },
    onError: (error) => {
      const isCodeRefused = 'token' in toApiError(error).fieldMessages;
      setFailure(isCodeRefused ? error : showFieldErrors(form, error));
    },
  });
  const isCodeRefused = failure !== undefined && 'token' in toApiError(failure).fieldMessages;
  return (
    <form onSubmit={form.onSubmit((values) => reset.mutate(values))} noValidate>
      <Stack>
        {failure !== undefined && (
          <ErrorNotice error={failure} {...(isCodeRefused && { message: t('reset.refused') })} />
        )}
        {token === undefined && (
          <>
            <Text size="md">{t('reset.text')}</Text>
            <TextInput
              label={t('code')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={200}
              required
              {...form.getInputProps('token')}
              key={form.key('token')}
            />
          </>
        )}
        <PasswordInput
          label={t('password.new')}
          description={t('password.rule', { count: MIN_PASSWORD_LENGTH })}
          autoComplete="new-password"
          maxLength={256}
          required
          {...form.getInputProps('password')}
          key={form.key('password')}
        />
        <Button type="submit" loading={reset.isPending}>
          {t('reset.submit')}
        </Button>
      </Stack>
    </form>
  );
}

/** A link of a mail leads here with its token; without a link people enter the code of the mail. */
export function ResetPasswordPage() {
  const t = useRecoveryTexts();
  const token = useMailToken();
  const [isDone, setIsDone] = useState(false);
  if (isDone)
    return (
      <SignInFrame title={t('reset.title')}>
        <DoneNotice title={t('reset.done')}>{t('reset.doneText')}</DoneNotice>
        <Button component={Link} to="/sign-in">
          {t('signIn.go')}
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame
      title={t('reset.title')}
      footer={
        <FooterLink question={t('reset.noMail')} to="/forgot-password">
          {t('reset.newMail')}
        </FooterLink>
      }
    >
      <NewPasswordForm token={token} onDone={() => setIsDone(true)} />
    </SignInFrame>
  );
}
