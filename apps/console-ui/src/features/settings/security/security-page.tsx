import { Skeleton, Text } from '@mantine/core';
import { QueryState } from '../../../components/query-state';
import { useAccount } from '../../../session/account';
import { Card } from '../card';
import { SettingsPage } from '../settings-page';
import { useSettingsTexts } from '../texts/settings-texts';
import { PasswordForm } from './password-form';
import { SecondFactor } from './second-factor';

export function SecurityPage() {
  const t = useSettingsTexts();
  return (
    <SettingsPage part="security">
      <QueryState query={useAccount()} skeleton={<Skeleton height={360} />}>
        {(account) => (
          <>
            <Card title={t('password')} description={t('password.text')}>
              {account.has_password ? (
                <PasswordForm email={account.email} />
              ) : (
                <Text size="md">{t('password.none')}</Text>
              )}
            </Card>
            <SecondFactor account={account} />
          </>
        )}
      </QueryState>
    </SettingsPage>
  );
}
