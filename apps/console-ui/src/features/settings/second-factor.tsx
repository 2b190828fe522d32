import {
  Alert,
  Anchor,
  Badge,
  Button,
  Checkbox,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Code,
  Image,
  Skeleton,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState, useEffect } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, type Schemas, useConsoleApi } from '../../api/console-api';
import { CopyButton } from '../../components/copy-button';
import { FormDialog } from '../../components/dialogs';
import { downloadText } from '../../components/csv-button';
import { ErrorNotice } from '../../components/error-notice';
import { Card } from './settings-page';
import { type Confirmation, useCredentialChange } from './settings-queries';
import { useSettingsTexts } from './settings-texts';
import classes from './settings.module.css';

type Step = 'setup' | 'disable' | 'replace' | undefined;

/** The second factor: off, or on with its recovery codes. Codes are in this component only, and only while they are shown. */
export function SecondFactor({ account }: { account: Schemas['UserResponse'] }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const [step, setStep] = useState<Step>();
  const [codes, setCodes] = useState<string[]>();
  const disable = useCredentialChange((body: Confirmation) => api.POST('/api/auth/2fa/disable', { body }));
  const replace = useCredentialChange((body: Confirmation) =>
    bodyOf(api.POST('/api/auth/2fa/recovery-codes', { body })),
  );
  const showCodes = (shown: string[]) => {
    setStep(undefined);
    setCodes(shown);
  };
  const isOn = account.two_factor_enabled;
  return (
    <Card
      title={t('twoFactor')}
      description={t('twoFactor.text')}
      aside={
        <Badge variant="default" tt="none">
          {t(isOn ? 'twoFactor.on' : 'twoFactor.off')}
        </Badge>
      }
    >
      <Group>
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setStep('replace')}>
              {t('twoFactor.replace')}
            </Button>
            <Button variant="default" onClick={() => setStep('disable')}>
              {t('twoFactor.disable')}
            </Button>
          </>
        ) : (
          <Button disabled={!account.email_verified} onClick={() => setStep('setup')}>
            {t('twoFactor.enable')}
          </Button>
        )}
      </Group>
      {!isOn && !account.email_verified && (
        <Text size="md" mt="sm">
          {t('twoFactor.unverified')}{' '}
          <Anchor component={Link} to="/settings" inherit>
            {t('twoFactor.verify')}
          </Anchor>
        </Text>
      )}
      {step === 'setup' && <SetupDialog onEnabled={showCodes} onClose={() => setStep(undefined)} />}
      {step === 'disable' && (
        <ConfirmDialog
          title={t('twoFactor.disable')}
          text={t('twoFactor.disableText')}
          hasPassword={account.has_password}
          change={disable}
          onDone={() => setStep(undefined)}
          onClose={() => setStep(undefined)}
        />
      )}
      {step === 'replace' && (
        <ConfirmDialog
          title={t('twoFactor.replace')}
          text={t('twoFactor.replaceText')}
          hasPassword={account.has_password}
          change={replace}
          onDone={({ recovery_codes: replaced }) => showCodes(replaced)}
          onClose={() => setStep(undefined)}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  );
}

/** Shows recovery codes once. Whoever closes says to have kept them. */
function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useSettingsTexts();
  const [isKept, setIsKept] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('codes.title')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow">{t('codes.once')}</Alert>
        <ul className={classes.codes} aria-label={t('codes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <CopyButton value={codes.join('\n')} label={t('codes.copy')} withText />
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            onClick={() =>
              downloadText(`${codes.join('\n')}\n`, { fileName: 'recovery-codes.txt', type: 'text/plain' })
            }
          >
            {t('codes.download')}
          </Button>
        </Group>
        <Group justify="space-between">
          <Checkbox
            label={t('codes.kept')}
            checked={isKept}
            onChange={(event) => setIsKept(event.currentTarget.checked)}
          />
          <Button disabled={!isKept} onClick={onClose}>
            {t('close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface Props<Answer> {
  title: string;
  text: string;
  hasPassword: boolean;
  change: UseMutationResult<Answer, Error, Confirmation>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}

/** Asks for the password and a code before the second factor changes. */
function ConfirmDialog<Answer>({ title, text, hasPassword, change, onDone, onClose }: Props<Answer>) {
  const t = useSettingsTexts();
  const form = useForm({
    initialValues: { password: '', code: '' },
    validate: {
      password: (value) => (value || !hasPassword ? null : t('password.currentMissing')),
      code: (value) => (value.trim() ? null : t('confirm.codeMissing')),
    },
  });
  const submit = ({ password, code }: typeof form.values) =>
    change.mutate(
      { code: code.trim(), ...(hasPassword && { password }) },
      { onSuccess: onDone, onError: () => form.setFieldValue('code', '') },
    );
  const isRefused = change.error && [400, 403].includes(toApiError(change.error).status);
  return (
    <FormDialog
      title={title}
      submitText={t('confirm.submit')}
      isPending={change.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {change.error && (
        <ErrorNotice
          error={change.error}
          {...(isRefused && { message: t(hasPassword ? 'confirm.refused' : 'confirm.signInAgain') })}
        />
      )}
      <Text size="md">{text}</Text>
      {hasPassword && (
        <PasswordInput
          label={t('confirm.password')}
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
      <TextInput
        label={t('confirm.code')}
        description={t('confirm.codeHint')}
        autoComplete="one-time-code"
        spellCheck={false}
        required
        {...form.getInputProps('code')}
      />
    </FormDialog>
  );
}

interface SetupProps {
  onEnabled: (recoveryCodes: string[]) => void;
  onClose: () => void;
}

/** Shows the secret of a new authenticator as a QR code, and turns the second factor on with its first code. */
function SetupDialog({ onEnabled, onClose }: SetupProps) {
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
