import { Button, Chip, Group, Input, Paper, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useConsoleApi, newIdempotencyKey } from '../../api/console-api';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { formatAmount } from '../../figures/format-figure';
import { PAYMENT_DECIMALS } from '../../figures/typed-amount';
import { useLanguage } from '../../language/language';
import {
  type BillingSettings,
  type NewPayment,
  payableAmount,
  settingsQuery,
  useCreatePayment,
} from './wallet-queries';
import { proposedAmount } from './top-up-search';
import { useWalletTexts } from './wallet-texts';

const FORM_PIXELS = 380;

export function TopUpPage() {
  const t = useWalletTexts();
  const query = useQuery(settingsQuery(useConsoleApi()));
  return (
    <Page title={t('topUp')} description={t('topUp.description')} width="narrow">
      <QueryState
        query={query}
        skeleton={<Skeleton height={FORM_PIXELS} />}
        isEmpty={({ providers }) => !providers.some(({ enabled }) => enabled)}
        empty={<EmptyState title={t('provider.none.title')}>{t('provider.none.text')}</EmptyState>}
      >
        {(settings) => (
          <Paper withBorder p="lg">
            <Stack gap="lg">
              <Group justify="space-between">
                <Text size="md" c="dimmed">
                  {t('balance')}
                </Text>
                <Text size="xl" fw={600}>
                  <Amount value={settings.balance} currency={settings.currency} />
                </Text>
              </Group>
              <TopUpForm settings={settings} />
            </Stack>
          </Paper>
        )}
      </QueryState>
    </Page>
  );
}

/** Chooses amount and provider, and leads to the provider's page or to the code. */
function TopUpForm({ settings }: { settings: BillingSettings }) {
  const t = useWalletTexts();
  const syntaxError = useAmountSyntaxError();
  const { language } = useLanguage();
  const navigate = useNavigate();
  const creation = useCreatePayment();
  const [failure, setFailure] = useState<unknown>();
  // A second click or a lost answer must not make a second payment; a changed form is another one.
  const attempt = useRef({ form: '', key: '' });
  const { currency, presets, min_amount: least, max_amount: most } = settings;
  const { amount: proposed } = useSearch({ from: '/console/top-up' });
  const providers = settings.providers.filter(({ enabled }) => enabled);
  const read = (amount: Figure) => formatAmount(amount, currency, language);
  const bounds = { least: read(least), most: read(most) };
  const form = useForm({
    initialValues: {
      amount: (proposedAmount(proposed, least, most) ?? presets[1])?.toString() ?? '',
      provider: providers[0]!.name as string,
    },
    validate: {
      amount: (value) =>
        syntaxError(value, PAYMENT_DECIMALS) ??
        (payableAmount(value, least, most) ? null : t('amount.invalid', bounds)),
    },
  });
  const payable = payableAmount(form.values.amount, least, most);
  const submit = ({ provider }: typeof form.values) => {
    setFailure(undefined);
    const chosen = `${payable!.toString()} ${provider}`;
    if (attempt.current.form !== chosen) attempt.current = { form: chosen, key: newIdempotencyKey() };
    creation.mutate(
      {
        amount: payable!,
        provider: provider as NewPayment['provider'],
        idempotencyKey: attempt.current.key,
      },
      {
        onSuccess: ({ id, checkout }) => {
          attempt.current = { form: '', key: '' };
          // The page of the payment stays in the history: "back" leads from the provider to it.
          void navigate({ href: `/payments/${id}` }).then(() => {
            if (checkout?.type === 'redirect') window.location.assign(checkout.url);
          });
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="lg">
        {failure !== undefined && <ErrorNotice error={failure} />}
        <Stack gap="sm">
          <Chip.Group
            value={form.values.amount}
            onChange={(value) => form.setFieldValue('amount', String(value))}
          >
            <Group gap="xs" role="group" aria-label={t('amount.presets')}>
              {presets.map((preset) => (
                <Chip key={preset.toString()} value={preset.toString()} variant="outline">
                  {read(preset).replace(/\.00$/, '')}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <AmountField
            label={t('amount')}
            description={t('amount.hint', bounds)}
            required
            currency={currency}
            {...form.getInputProps('amount')}
          />
        </Stack>
        {providers.length > 1 ? (
          <Radio.Group label={t('provider')} {...form.getInputProps('provider')}>
            <Stack gap="xs" mt="xs">
              {providers.map(({ name }) => (
                <Radio key={name} value={name} label={t(`provider.${name}`)} />
              ))}
            </Stack>
          </Radio.Group>
        ) : (
          <Input.Wrapper label={t('provider')} labelElement="div">
            <div>{t(`provider.${providers[0]!.name}`)}</div>
          </Input.Wrapper>
        )}
        <Group>
          <Button type="submit" size="md" loading={creation.isPending}>
            {payable ? t('topUp.pay.amount', { amount: read(payable) }) : t('topUp.pay')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
