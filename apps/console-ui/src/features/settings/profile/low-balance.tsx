import { Button, Group, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Schemas, useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { QueryState } from '../../../components/query-state';
import { Amount } from '../../../figures/amount';
import { Figure } from '../../../figures/figure';
import { symbolOf } from '../../../figures/format-figure';
import { useAccount } from '../../../session/account';
import { settingsQuery } from '../../wallet/wallet-queries';
import { Card } from '../card';
import { useLowBalanceChange } from '../settings-queries';
import { useSettingsTexts } from '../texts/settings-texts';

export function LowBalanceCard() {
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
  const { currency, balance, low_balance_threshold: threshold } = settings;
  const save = useLowBalanceChange();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { isOn: threshold !== null, low_balance_threshold: threshold?.toString() ?? '' },
    validate: {
      low_balance_threshold: (text, { isOn }) =>
        !isOn || positiveAmount(text) ? null : t('lowBalance.invalid'),
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
        <TextInput
          label={t('lowBalance.threshold')}
          inputMode="decimal"
          autoComplete="off"
          leftSection={symbolOf(currency)}
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

/** Undefined unless the text is a positive amount; thousands may be separated. */
function positiveAmount(text: string): Figure | undefined {
  const figure = Figure.parse(text.trim().replaceAll(',', ''));
  return figure && !figure.isZero && !figure.isNegative ? figure : undefined;
}
