import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Schemas, useConsoleApi } from '../../../api/console-api';
import { bodyOf } from '../../../api/console-api';
import { Card } from '../card';
import { useCredentialChange, type Confirmation } from '../settings-queries';
import { useSettingsTexts } from '../texts/settings-texts';
import { ConfirmDialog } from './confirm-dialog';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import { SetupDialog } from './setup-dialog';

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
