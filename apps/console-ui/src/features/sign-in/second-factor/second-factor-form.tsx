import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useSession } from '../../../session/session-context';
import { type Challenge } from '../challenge';
import { useSignInTexts } from '../sign-in-texts';

interface Props {
  challenge: Challenge;
  onSignedIn?: (() => void) | undefined;
  /** Begins again, because a challenge ends after a while and after five wrong codes. */
  onRestart: () => void;
}

export function SecondFactorForm({ challenge, onSignedIn, onRestart }: Props) {
  const t = useSignInTexts();
  const api = useConsoleApi();
  const session = useSession();
  const [usesRecoveryCode, setUsesRecoveryCode] = useState(!challenge.methods.includes('totp'));
  const form = useForm({ initialValues: { code: '' } });
  const verify = useMutation({
    mutationFn: (code: string) =>
      bodyOf(api.POST('/api/auth/2fa/verify', { body: { challenge_id: challenge.id, code } })),
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
          <ErrorNotice error={verify.error} {...(isRefused && { message: t('code.refused') })} />
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
            maxLength={6}
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
