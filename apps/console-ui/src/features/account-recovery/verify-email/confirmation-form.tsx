import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toApiError } from '../../../api/api-error';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useRecoveryTexts } from '../texts/recovery-texts';

interface Props {
  /** Of the link in the mail. Without it the form asks for the code of the mail, which is the same. */
  token: string | undefined;
  onDone: () => void;
  onRefused: () => void;
}

/** Confirms by a click, because programs that check mails open their links. */
export function ConfirmationForm({ token, onDone, onRefused }: Props) {
  const t = useRecoveryTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { token: token ?? '' },
    validate: { token: (value) => (value.trim() ? null : t('code.missing')) },
  });
  const confirmation = useMutation({
    mutationFn: (code: string) =>
      bodyOf(api.POST('/api/auth/email/verify', { body: { token: code.trim() } })),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['account'] });
      onDone();
    },
    onError: (error) => {
      if (toApiError(error).status === 400) onRefused();
    },
  });
  const isRefused = confirmation.error && toApiError(confirmation.error).status === 400;
  return (
    <form onSubmit={form.onSubmit((values) => confirmation.mutate(values.token))} noValidate>
      <Stack>
        {confirmation.error && (
          <ErrorNotice error={confirmation.error} {...(isRefused && { message: t('verify.refused') })} />
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
        <Button type="submit" loading={confirmation.isPending}>
          {t('verify.submit')}
        </Button>
      </Stack>
    </form>
  );
}
