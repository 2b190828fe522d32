import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { ErrorNotice } from '../../components/error-notice';
import { SignInFrame } from '../sign-in/sign-in-frame';
import { DoneNotice, FooterLink } from './recovery-parts';
import { useRecoveryTexts } from './recovery-texts';

export function ForgotPasswordPage() {
  const t = useRecoveryTexts();
  const api = useConsoleApi();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { identifier: '' },
    validate: { identifier: (value) => (value.trim() ? null : t('identifier.missing')) },
  });
  const request = useMutation({
    mutationFn: (identifier: string) =>
      bodyOf(api.POST('/api/auth/password/forgot', { body: { identifier: identifier.trim() } })),
  });
  return (
    <SignInFrame
      title={t('forgot.title')}
      footer={
        <Stack gap="xs">
          {!request.isSuccess && (
            <FooterLink question={t('forgot.hasCode')} to="/reset-password">
              {t('forgot.enterCode')}
            </FooterLink>
          )}
          <FooterLink to="/sign-in">{t('signIn.back')}</FooterLink>
        </Stack>
      }
    >
      {request.isSuccess ? (
        <>
          <DoneNotice title={t('forgot.sent')}>{t('forgot.sentText')}</DoneNotice>
          <Button variant="default" onClick={() => request.reset()}>
            {t('forgot.again')}
          </Button>
        </>
      ) : (
        <form onSubmit={form.onSubmit(({ identifier }) => request.mutate(identifier))} noValidate>
          <Stack>
            {request.error && <ErrorNotice error={request.error} />}
            <Text size="md">{t('forgot.text')}</Text>
            <TextInput
              label={t('identifier')}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={254}
              required
              {...form.getInputProps('identifier')}
              key={form.key('identifier')}
            />
            <Button type="submit" loading={request.isPending}>
              {t('forgot.submit')}
            </Button>
          </Stack>
        </form>
      )}
    </SignInFrame>
  );
}
