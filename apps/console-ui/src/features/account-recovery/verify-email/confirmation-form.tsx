import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { FooterLink } from '../footer-link';
import { useRecoveryTexts } from '../recovery-texts';

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
export function ConfirmationForm({ token, onDone, onRefused }: Props) {
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
