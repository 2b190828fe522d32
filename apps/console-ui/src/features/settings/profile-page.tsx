import { Badge, Button, Group, Select, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, type Schemas, useConsoleApi } from '../../api/console-api';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Fact, Facts } from '../../components/facts';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { LEDGER_DECIMALS, readAmount } from '../../figures/typed-amount';
import { type Language, LANGUAGE_NAMES, LANGUAGES, useLanguage } from '../../language/language';
import { useAccount } from '../../api/account';
import { Time } from '../../time/time';
import { TIME_ZONE_CHOICES, type TimeZoneChoice, useTimeZone } from '../../time/time-zone-context';
import { settingsQuery } from '../wallet/wallet-queries';
import { Card, SettingsPage } from './settings-page';
import {
  mailPreferencesQuery,
  useAccountChange,
  useLowBalanceChange,
  useMailPreferenceChange,
} from './settings-queries';
import { useSettingsTexts } from './settings-texts';

export function ProfilePage() {
  return (
    <SettingsPage part="profile">
      <AccountCard />
      <DisplayCard />
      <LowBalanceCard />
      <AnnouncementsCard />
      <StorageCard />
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
              {account.accepted_terms && (
                <Fact name={t('account.terms')}>
                  {t('account.terms.version', { version: account.accepted_terms.version })}{' '}
                  <Time value={account.accepted_terms.accepted_at} />
                </Fact>
              )}
            </Facts>
            <MailLanguage language={account.language} />
            <AccountTimeZone timeZone={account.time_zone} />
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

/** The language of mails and receipts, which need not be that of the pages. */
function MailLanguage({ language }: { language: Language }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const change = useAccountChange((chosen: Language) =>
    bodyOf(api.PATCH('/api/auth/me', { body: { language: chosen } })),
  );
  return (
    <>
      {change.error && <ErrorNotice error={change.error} />}
      <Select
        label={t('account.mailLanguage')}
        description={t('account.mailLanguageHint')}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={change.isPending ? change.variables : language}
        allowDeselect={false}
        disabled={change.isPending}
        maw="24rem"
        onChange={(value) =>
          change.mutate(value as Language, {
            onSuccess: () => notifications.show({ message: t('saved') }),
          })
        }
      />
    </>
  );
}

/** Where the periods of spending limits begin, which need not be the zone of the pages. */
function AccountTimeZone({ timeZone }: { timeZone: string }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const change = useAccountChange((chosen: string) =>
    bodyOf(api.PATCH('/api/auth/me', { body: { time_zone: chosen } })),
  );
  const zones = [...new Set(['UTC', timeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <>
      {change.error && <ErrorNotice error={change.error} />}
      <Select
        label={t('account.timeZone')}
        description={t('account.timeZoneHint')}
        data={zones}
        value={change.isPending ? change.variables : timeZone}
        allowDeselect={false}
        searchable
        disabled={change.isPending}
        maw="24rem"
        onChange={(value) =>
          value !== null &&
          change.mutate(value, { onSuccess: () => notifications.show({ message: t('saved') }) })
        }
      />
    </>
  );
}

function AnnouncementsCard() {
  const t = useSettingsTexts();
  const query = useQuery(mailPreferencesQuery(useConsoleApi()));
  const change = useMailPreferenceChange();
  return (
    <Card title={t('announcements')} description={t('announcements.text')}>
      {change.error && <ErrorNotice error={change.error} />}
      <QueryState query={query} skeleton={<Skeleton height={24} />}>
        {({ announcements }) => (
          <Switch
            label={t('announcements.on')}
            checked={change.isPending ? change.variables : announcements}
            disabled={change.isPending}
            onChange={({ currentTarget: { checked } }) =>
              change.mutate(checked, { onSuccess: () => notifications.show({ message: t('saved') }) })
            }
          />
        )}
      </QueryState>
    </Card>
  );
}

/** Whether the gateway may store what models are asked and answer. */
function StorageCard() {
  const t = useSettingsTexts();
  const query = useAccount();
  const api = useConsoleApi();
  const change = useAccountChange((isOn: boolean) =>
    bodyOf(api.PATCH('/api/auth/me', { body: { stores_responses: isOn } })),
  );
  return (
    <Card title={t('storage')} description={t('storage.text')}>
      <QueryState query={query} skeleton={<Skeleton height={40} />}>
        {({ stores_responses: isStored }) => (
          <>
            {change.error && <ErrorNotice error={change.error} />}
            <Switch
              label={t('storage.on')}
              description={t('storage.offHint')}
              checked={change.isPending ? change.variables : isStored}
              disabled={change.isPending}
              onChange={({ currentTarget }) =>
                change.mutate(currentTarget.checked, {
                  onSuccess: () => notifications.show({ message: t('saved') }),
                })
              }
            />
          </>
        )}
      </QueryState>
    </Card>
  );
}

function LowBalanceCard() {
  const t = useSettingsTexts();
  const query = useQuery(settingsQuery(useConsoleApi()));
  const { data: account } = useAccount();
  return (
    <Card title={t('lowBalance')} description={t('lowBalance.text', { email: account?.email ?? '…' })}>
      <QueryState query={query} skeleton={<Skeleton height={140} />}>
        {(settings) => <LowBalanceForm settings={settings} />}
      </QueryState>
    </Card>
  );
}

function LowBalanceForm({ settings }: { settings: Schemas['BillingSettingsResponse'] }) {
  const t = useSettingsTexts();
  const syntaxError = useAmountSyntaxError();
  const { currency, balance, low_balance_threshold: threshold } = settings;
  const save = useLowBalanceChange();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { isOn: threshold !== null, low_balance_threshold: threshold?.toString() ?? '' },
    validate: {
      low_balance_threshold: (text, { isOn }) =>
        isOn
          ? (syntaxError(text, LEDGER_DECIMALS) ?? (positiveAmount(text) ? null : t('lowBalance.invalid')))
          : null,
    },
  });
  const submit = ({ isOn, low_balance_threshold: text }: typeof form.values) => {
    setFailure(undefined);
    save.mutate(isOn ? positiveAmount(text)! : null, {
      onSuccess: () => {
        form.resetDirty();
        notifications.show({ message: t('saved') });
      },
      onError: (error) => setFailure(showFieldErrors(form, error)),
    });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm" maw="24rem">
        {failure !== undefined && <ErrorNotice error={failure} />}
        <Switch label={t('lowBalance.on')} {...form.getInputProps('isOn', { type: 'checkbox' })} />
        <AmountField
          label={t('lowBalance.threshold')}
          currency={currency}
          disabled={!form.values.isOn}
          {...form.getInputProps('low_balance_threshold')}
        />
        <Text size="sm" c="dimmed">
          {t('lowBalance.balance')} <Amount value={balance} currency={currency} />
        </Text>
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Undefined unless the text is an amount above zero. */
function positiveAmount(text: string): Figure | undefined {
  const amount = readAmount(text, LEDGER_DECIMALS);
  return amount?.isZero ? undefined : amount;
}
