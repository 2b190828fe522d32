import { Badge, Button, Group, Select, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { Fact, Facts } from '../../../components/facts';
import { QueryState } from '../../../components/query-state';
import { type Language, LANGUAGE_NAMES, LANGUAGES } from '../../../language/language';
import { useLanguage } from '../../../language/language-context';
import { useAccount } from '../../../session/account';
import { TIME_ZONE_CHOICES, type TimeZoneChoice, useTimeZone } from '../../../time/time-zone-context';
import { Time } from '../../../time/time';
import { Card } from '../card';
import { SettingsPage } from '../settings-page';
import { useSettingsTexts } from '../texts/settings-texts';
import { LowBalanceCard } from './low-balance';
import { MailLanguage } from './mail-language';

export function ProfilePage() {
  return (
    <SettingsPage part="profile">
      <AccountCard />
      <DisplayCard />
      <LowBalanceCard />
    </SettingsPage>
  );
}

function AccountCard() {
  const t = useSettingsTexts();
  const query = useAccount();
  return (
    <Card title={t('account')}>
      <QueryState query={query} skeleton={<Skeleton height={160} />}>
        {(account) => (
          <>
            <Facts>
              <Fact name={t('account.email')}>
                <Group gap="xs">
                  {account.email}
                  <Badge variant="default" tt="none">
                    {t(account.email_verified ? 'account.verified' : 'account.unverified')}
                  </Badge>
                </Group>
                {!account.email_verified && <VerificationMail email={account.email} />}
              </Fact>
              {account.phone && <Fact name={t('account.phone')}>{account.phone}</Fact>}
              {account.username && <Fact name={t('account.username')}>{account.username}</Fact>}
              <Fact name={t('account.role')}>{t(`role.${account.role}`)}</Fact>
              <Fact name={t('account.since')}>
                <Time value={account.created_at} detail="day" />
              </Fact>
            </Facts>
            <MailLanguage language={account.language} />
          </>
        )}
      </QueryState>
    </Card>
  );
}

function VerificationMail({ email }: { email: string }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const order = useMutation({
    mutationFn: () => api.POST('/api/auth/email/verify', { body: { email } }),
    onSuccess: () => notifications.show({ message: t('account.mailSent') }),
  });
  return (
    <>
      {order.error && <ErrorNotice error={order.error} />}
      <Button mt="xs" size="xs" variant="default" loading={order.isPending} onClick={() => order.mutate()}>
        {t('account.sendMail')}
      </Button>
    </>
  );
}

/** What this browser remembers, also found in the header. */
function DisplayCard() {
  const t = useSettingsTexts();
  const { language, setLanguage } = useLanguage();
  const { choice, setChoice, zones } = useTimeZone();
  return (
    <Card title={t('display')} description={t('display.text')}>
      <Group align="flex-start">
        <Select
          label={t('display.language')}
          data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          value={language}
          allowDeselect={false}
          onChange={(value) => setLanguage(value as Language)}
        />
        <Select
          label={t('display.timeZone')}
          data={TIME_ZONE_CHOICES.map((value) => ({
            value,
            label: value === 'utc' ? 'UTC' : t(`display.timeZone.${value}`, { zone: zones[value] }),
          }))}
          value={choice}
          allowDeselect={false}
          onChange={(value) => setChoice(value as TimeZoneChoice)}
        />
      </Group>
    </Card>
  );
}
