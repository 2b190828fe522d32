import { Button, Group, MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { type Figure } from '../../figures/figure';
import { LEDGER_DECIMALS, readAmount } from '../../figures/typed-amount';
import { useSite } from '../../api/site';
import { pricingQuery } from '../pricing/pricing-queries';
import { type ApiKey, type NewApiKey } from './key-queries';
import { useKeyTexts } from './key-texts';

interface Props<Saved> {
  /** The key to edit; absent for a new one. */
  apiKey?: ApiKey;
  save: UseMutationResult<Saved, Error, NewApiKey>;
  submitText: string;
  onSaved: (key: Saved) => void;
  onCancel: () => void;
}

export function KeyForm<Saved>({ apiKey, save, submitText, onSaved, onCancel }: Props<Saved>) {
  const t = useKeyTexts();
  const syntaxError = useAmountSyntaxError();
  const { currency } = useSite();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  // A key keeps models that are not offered any more.
  const models = [
    ...new Set([...(apiKey?.allowed_models ?? []), ...(pricing?.models ?? []).map(({ slug }) => slug)]),
  ];
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      name: apiKey?.name ?? '',
      spend_limit: apiKey?.spend_limit?.toString() ?? '',
      allowed_models: apiKey?.allowed_models ?? [],
      reports_cost: apiKey?.reports_cost ?? true,
    },
    validate: {
      name: (value) => (value.trim() ? null : t('name.missing')),
      spend_limit: (value) =>
        syntaxError(value, LEDGER_DECIMALS) ??
        (value.trim() === '' || limitIn(value) ? null : t('limit.invalid')),
    },
  });
  const submit = (values: typeof form.values) => {
    const { name, spend_limit: limit, allowed_models: allowed, reports_cost } = values;
    setFailure(undefined);
    save.mutate(
      {
        name: name.trim(),
        spend_limit: limit.trim() === '' ? null : limitIn(limit)!,
        allowed_models: allowed.length > 0 ? allowed : null,
        reports_cost,
      },
      { onSuccess: onSaved, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <TextInput
          label={t('name')}
          description={t('name.hint')}
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps('name')}
          key={form.key('name')}
        />
        <AmountField
          label={t('limit')}
          description={t('limit.hint')}
          currency={currency}
          {...form.getInputProps('spend_limit')}
          key={form.key('spend_limit')}
        />
        <MultiSelect
          label={t('models')}
          description={t('models.hint')}
          data={models}
          searchable
          clearable
          {...form.getInputProps('allowed_models')}
          key={form.key('allowed_models')}
        />
        <Switch
          label={t('reportsCost')}
          description={t('reportsCost.hint')}
          {...form.getInputProps('reports_cost', { type: 'checkbox' })}
          key={form.key('reports_cost')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {submitText}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Undefined unless the text is an amount above zero. */
function limitIn(text: string): Figure | undefined {
  const amount = readAmount(text, LEDGER_DECIMALS);
  return amount?.isZero ? undefined : amount;
}
