import { Code, Group, Image, Skeleton, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { CopyButton } from '../../components/copy-button';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { useCredentialChange } from './settings-queries';
import { useSettingsTexts } from './settings-texts';
import classes from './settings.module.css';

interface Props {
  onEnabled: (recoveryCodes: string[]) => void;
  onClose: () => void;
}

/** Shows the secret of a new authenticator as a QR code, and turns the second factor on with its first code. */
export function SetupDialog({ onEnabled, onClose }: Props) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const { mutate: begin, ...setup } = useCredentialChange(() => bodyOf(api.POST('/api/auth/2fa/setup')));
  const enable = useCredentialChange((code: string) =>
    bodyOf(api.POST('/api/auth/2fa/enable', { body: { code } })),
  );
  const form = useForm({ initialValues: { code: '' } });
  useEffect(() => begin(undefined), [begin]);
  const submit = ({ code }: { code: string }) => {
    if (!code.trim()) return;
    enable.mutate(code.replaceAll(' ', ''), {
      onSuccess: ({ recovery_codes: codes }) => onEnabled(codes),
      onError: () => form.reset(),
    });
  };
  const isRefused = enable.error && toApiError(enable.error).status === 400;
  return (
    <FormDialog
      title={t('twoFactor.enable')}
      submitText={t('setup.submit')}
      isPending={enable.isPending}
      isDisabled={!setup.data}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {setup.error && <ErrorNotice error={setup.error} onRetry={() => begin(undefined)} />}
      <Text size="md">{t('setup.scan')}</Text>
      {setup.data ? (
        <Image src={setup.data.qr_code} alt={t('setup.qr')} className={classes.qr} mx="auto" />
      ) : (
        <Skeleton className={classes.qr} mx="auto" />
      )}
      <div>
        <Text size="sm" c="dimmed">
          {t('setup.secret')}
        </Text>
        <Group gap="xs" wrap="nowrap" mih={28}>
          {setup.data && (
            <>
              <Code className={classes.secret} aria-label={t('setup.secretLabel')}>
                {setup.data.secret}
              </Code>
              <CopyButton value={setup.data.secret} label={t('setup.copy')} />
            </>
          )}
        </Group>
      </div>
      {enable.error && (
        <ErrorNotice error={enable.error} {...(isRefused && { message: t('setup.refused') })} />
      )}
      <TextInput
        label={t('setup.code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        {...form.getInputProps('code')}
      />
    </FormDialog>
  );
}
