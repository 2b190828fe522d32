import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Suspension, toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSession } from '../../api/session';
import { ErrorNotice } from '../../components/error-notice';
import { type Challenge } from './challenge';
import { useSignInTexts } from './sign-in-texts';

/** A whole sign-in: the password, and the second factor of accounts that have one. */
export function SignInSteps({ onSignedIn }: { onSignedIn?: () => void }) {
  const [challenge, setChallenge] = useState<Challenge>();
  return challenge ? (
    <SecondFactorForm
      challenge={challenge}
      onSignedIn={onSignedIn}
      onRestart={() => setChallenge(undefined)}
    />
  ) : (
    <PasswordForm onSignedIn={onSignedIn} onChallenge={setChallenge} />
  );
}

interface Props {
  onSignedIn?: (() => void) | undefined;
  onChallenge: (challenge: Challenge) => void;
}

function PasswordForm({ onSignedIn, onChallenge }: Props) {
  const t = useSignInTexts();
  const api = useConsoleApi();
  const session = useSession();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { identifier: '', password: '' },
    validate: {
      identifier: (value) => (value.trim() ? null : t('identifier.missing')),
      password: (value) => (value ? null : t('password.missing')),
    },
  });
  const signIn = useMutation({
    mutationFn: (body: typeof form.values) =>
      session.alone(() => bodyOf(api.POST('/api/auth/login', { body }))),
    onSuccess: (answer) => {
      if ('challenge' in answer) return onChallenge(answer.challenge);
      session.open(answer);
      onSignedIn?.();
    },
  });
  const isRefused = signIn.error && toApiError(signIn.error).status === 401;
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
      <Stack>
        {signIn.error && (
          <SignInError error={signIn.error} {...(isRefused && { message: t('password.refused') })} />
        )}
        <TextInput
          label={t('identifier')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          data-autofocus
          {...form.getInputProps('identifier')}
          key={form.key('identifier')}
        />
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
          key={form.key('password')}
        />
        <Button type="submit" loading={signIn.isPending}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}

/** Tells the owner of a suspended account why, and whom to ask. */
function SignInError({ error, message }: { error: unknown; message?: string }) {
  const { suspension } = toApiError(error);
  if (!suspension) return <ErrorNotice error={error} {...(message !== undefined && { message })} />;
  return <Suspended {...suspension} />;
}

/** What the operator says of a suspended account, and whom to ask. */
export function Suspended({ message, contact }: Suspension) {
  const t = useSignInTexts();
  return (
    <Alert role="alert" color="red" variant="light" title={t('suspended')}>
      <Stack gap="xs" align="flex-start">
        {message !== null && (
          <Text size="md" style={{ whiteSpace: 'pre-line' }}>
            {message}
          </Text>
        )}
        {contact === null ? (
          <Text size="md">{t('suspended.ask')}</Text>
        ) : (
          <Anchor href={contact} size="md">
            {t('suspended.contact')}
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

interface SecondFactorFormProps {
  challenge: Challenge;
  onSignedIn?: (() => void) | undefined;
  /** Begins again, because a challenge ends after a while and after five wrong codes. */
  onRestart: () => void;
}

export function SecondFactorForm({ challenge, onSignedIn, onRestart }: SecondFactorFormProps) {
  const t = useSignInTexts();
  const api = useConsoleApi();
  const session = useSession();
  const [usesRecoveryCode, setUsesRecoveryCode] = useState(!challenge.methods.includes('totp'));
  const form = useForm({ initialValues: { code: '' } });
  const verify = useMutation({
    mutationFn: (code: string) =>
      session.alone(() =>
        bodyOf(api.POST('/api/auth/2fa/verify', { body: { challenge_id: challenge.id, code } })),
      ),
    onSuccess: (answer) => {
      session.open(answer);
      onSignedIn?.();
    },
    onError: () => form.reset(),
  });
  const isRefused = verify.error && toApiError(verify.error).status === 401;
  const submit = ({ code }: { code: string }) => {
    if (code.trim()) verify.mutate(code.trim());
  };
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        {verify.error && (
          <SignInError error={verify.error} {...(isRefused && { message: t('code.refused') })} />
        )}
        <Text size="md">{t(usesRecoveryCode ? 'recoveryCode.hint' : 'code.hint')}</Text>
        {usesRecoveryCode ? (
          <TextInput
            label={t('recoveryCode')}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            {...form.getInputProps('code')}
          />
        ) : (
          <TextInput
            label={t('code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            {...form.getInputProps('code')}
          />
        )}
        <Button type="submit" loading={verify.isPending}>
          {t('code.submit')}
        </Button>
        <Stack gap={4} align="flex-start">
          {challenge.methods.length > 1 && (
            <Anchor component="button" type="button" onClick={() => setUsesRecoveryCode(!usesRecoveryCode)}>
              {t(usesRecoveryCode ? 'code.use' : 'recoveryCode.use')}
            </Anchor>
          )}
          <Anchor component="button" type="button" onClick={onRestart}>
            {t('signIn.restart')}
          </Anchor>
        </Stack>
      </Stack>
    </form>
  );
}
