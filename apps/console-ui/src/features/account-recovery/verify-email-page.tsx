import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { HOME } from '../sign-in/next-page';
import { SignInFrame } from '../sign-in/sign-in-frame';
import { DoneNotice, FooterLink } from './recovery-parts';
import { useMailToken } from './use-mail-token';
import { useRecoveryTexts } from './recovery-texts';

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
    validate: { email: (value) => (/^\S+[@＠]\S+$/.test(value.trim()) ? null : t('email.invalid')) },
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

const FORBIDDEN = 403;

interface Props {
  /** Of the link in the mail. Without it the form asks for the code of the mail, which is the same. */
  token: string | undefined;
  onDone: () => void;
  onRefused: () => void;
}

/**
 * Confirms by a click, because programs that check mails open their links. Without a session of the account it takes the password,
 * because somebody else may have registered the address.
 */
function ConfirmationForm({ token, onDone, onRefused }: Props) {
  const t = useRecoveryTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { token: token ?? '', password: '' },
    validate: { token: (value) => (value.trim() ? null : t('code.missing')) },
  });
  const [needsPassword, setNeedsPassword] = useState(false);
  const confirmation = useMutation({
    mutationFn: ({ token: code, password }: typeof form.values) =>
      bodyOf(
        api.POST('/api/auth/email/verify', {
          body: { token: code.trim(), ...(password && { password }) },
        }),
      ),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['account'] });
      onDone();
    },
    onError: (error) => {
      const { status } = toApiError(error);
      if (status === 400) onRefused();
      if (status === FORBIDDEN) setNeedsPassword(true);
    },
    // The password stays in no cache.
    gcTime: 0,
  });
  const isForbidden = confirmation.error && toApiError(confirmation.error).status === FORBIDDEN;
  const isWrongPassword = isForbidden && confirmation.variables.password !== '';
  const isRefused = confirmation.error && toApiError(confirmation.error).status === 400;
  return (
    <form onSubmit={form.onSubmit((values) => confirmation.mutate(values))} noValidate>
      <Stack>
        {confirmation.error && (!isForbidden || isWrongPassword) && (
          <ErrorNotice
            error={confirmation.error}
            {...(isRefused && { message: t('verify.refused') })}
            {...(isWrongPassword && { message: t('verify.wrongPassword') })}
          />
        )}
        <Text size="md">{token === undefined ? t('verify.codeText') : t('verify.text')}</Text>
        {token === undefined && (
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
        )}
        {needsPassword && (
          <>
            <Text size="md">{t('verify.passwordText')}</Text>
            <PasswordInput
              label={t('verify.password')}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps('password')}
              key={form.key('password')}
            />
            <FooterLink question={t('verify.unknownPassword')} to="/forgot-password">
              {t('verify.reset')}
            </FooterLink>
          </>
        )}
        <Button type="submit" loading={confirmation.isPending}>
          {t('verify.submit')}
        </Button>
      </Stack>
    </form>
  );
}
