import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { toApiError } from '../../../api/api-error';
import { bodyOf, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useAccount } from '../../../session/account';
import { useCredentialChange } from '../settings-queries';
import { useSettingsTexts } from '../texts/settings-texts';

/** Asks for the password, and leads to the provider, which leads back to the page of identities. */
export function LinkDialog({ provider, onClose }: { provider: string; onClose: () => void }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const { data: account } = useAccount();
  const form = useForm({ initialValues: { password: '' } });
  const link = useCredentialChange((password: string) =>
    bodyOf(
      api.POST('/api/auth/oauth/{provider}/link', {
        params: { path: { provider } },
        body: password ? { password } : {},
      }),
    ),
  );
  const submit = ({ password }: { password: string }) =>
    link.mutate(password, {
      onSuccess: ({ authorization_url: url }) => window.location.assign(url),
    });
  const hasPassword = account?.has_password !== false;
  const isRefused = link.error && toApiError(link.error).status === 403;
  return (
    <Modal opened onClose={onClose} title={t('identities.link', { name: provider })}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {link.error && (
            <ErrorNotice
              error={link.error}
              {...(isRefused && { message: t(hasPassword ? 'password.wrong' : 'confirm.signInAgain') })}
            />
          )}
          <Text size="md">{t('link.text', { name: provider })}</Text>
          {hasPassword && (
            <PasswordInput
              label={t('confirm.password')}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps('password')}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={link.isPending || link.isSuccess}>
              {t('link.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
