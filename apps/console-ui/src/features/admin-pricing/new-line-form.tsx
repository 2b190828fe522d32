import { Autocomplete, Button, Group, Paper, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { AmountField } from '../../components/amount-field';
import MomentField from '../../components/moment-field';
import { Figure } from '../../figures/figure';
import { instantOf } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { PRICE_UNITS, type PriceTerms, SERVICE_TIERS } from '../pricing/pricing-queries';
import { usePricingTexts } from '../pricing/pricing-texts';
import { useAdminPricingTexts } from './admin-pricing-texts';
import { keyOfLine, type LineUnit, parsePrice } from './price-line';
import { modelNamesQuery, type PriceKind, type PriceSource } from './price-list-queries';
import { type PriceDraft } from './use-price-draft';

const HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;
/** Names that are offered at once: typing finds the others. */
const MOST_OFFERED = 200;
const WHOLE = /^[1-9]\d{0,8}$/;

interface NewLine {
  name: string;
  unit: LineUnit;
  price: string;
  isConditional: boolean;
  tokens: string;
  tier: (typeof SERVICE_TIERS)[number] | '';
  hours: string;
  /** Such as `2026-12-01T00:00`, in the time zone of the pages. */
  from: string;
}

/** Undefined for a price that always holds. */
function termsOf(
  { isConditional, tokens, tier, hours, from }: NewLine,
  timeZone: string,
): PriceTerms | undefined {
  if (!isConditional) return undefined;
  const terms: PriceTerms = {
    ...(WHOLE.test(tokens) && { min_input_tokens: Figure.of(tokens) }),
    ...(tier && { service_tier: tier }),
    ...(hours && { hours }),
    ...(from && { effective_from: instantOf(from, timeZone).toISOString() }),
  };
  return Object.keys(terms).length > 0 ? terms : undefined;
}

/** Adds a price to the draft. */
export function NewLineForm({
  kind,
  source,
  draft,
}: {
  kind: Exclude<PriceKind, 'training'>;
  source: PriceSource;
  draft: PriceDraft;
}) {
  const t = useAdminPricingTexts();
  const { data: models = [] } = useQuery(modelNamesQuery(useConsoleApi(), source));
  const { currency } = useSite();
  const { timeZone } = useTimeZone();
  const form = useForm<NewLine>({
    initialValues: {
      name: '',
      unit: kind === 'gpus' ? 'hour' : PRICE_UNITS[0]!,
      price: '',
      isConditional: false,
      tokens: '',
      tier: '',
      hours: '',
      from: '',
    },
    validate: {
      name: (name, values) => {
        if (!name.trim()) return t('add.name.missing');
        const key = keyOfLine({ name: name.trim(), unit: values.unit, terms: termsOf(values, timeZone) });
        return draft.lines.some((line) => keyOfLine(line) === key) ? t('add.name.there') : null;
      },
      price: (price, { unit }) => (parsePrice(price, unit) ? null : t('price.invalid')),
      tokens: (tokens, { isConditional }) =>
        !isConditional || tokens === '' || WHOLE.test(tokens) ? null : t('add.tokens.invalid'),
      hours: (hours, { isConditional }) =>
        !isConditional || hours === '' || HOURS.test(hours) ? null : t('add.hours.invalid'),
    },
  });
  const submit = (values: NewLine) => {
    const { name, unit, price } = values;
    draft.add({ name: name.trim(), unit, terms: termsOf(values, timeZone), price: parsePrice(price, unit)! });
    form.setValues({ name: '', price: '' });
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.onSubmit(submit)} noValidate aria-label={t('add.title')}>
        <Stack gap="sm">
          <Group align="flex-start" gap="sm">
            <Autocomplete
              label={t(`add.name.${kind}`)}
              description={t('add.name.hint')}
              data={[...new Set([...models, ...draft.lines.map(({ name }) => name)])].sort()}
              limit={MOST_OFFERED}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maxLength={kind === 'costs' ? 200 : 100}
              flex="1 1 12rem"
              {...form.getInputProps('name')}
            />
            {kind !== 'gpus' && (
              <Select
                label={t('add.unit')}
                allowDeselect={false}
                flex="1 1 12rem"
                data={PRICE_UNITS.map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
                {...form.getInputProps('unit')}
              />
            )}
            <AmountField
              label={t('add.price')}
              currency={currency}
              flex="1 1 8rem"
              {...form.getInputProps('price')}
            />
            <Button type="submit" variant="default" leftSection={<Plus size={16} />} mt={21}>
              {t('add')}
            </Button>
          </Group>
          {kind !== 'gpus' && (
            <Switch
              label={t('add.conditions')}
              {...form.getInputProps('isConditional', { type: 'checkbox' })}
            />
          )}
          {form.values.isConditional && <ConditionFields propsOf={(name) => form.getInputProps(name)} />}
        </Stack>
      </form>
    </Paper>
  );
}

function ConditionFields({ propsOf }: { propsOf: (name: 'tokens' | 'tier' | 'hours' | 'from') => object }) {
  const t = useAdminPricingTexts();
  const priceTexts = usePricingTexts();
  const { time_zone: zone } = useSite();
  const { timeZone } = useTimeZone();
  return (
    <Group align="flex-start" gap="sm">
      <TextInput
        label={t('add.tokens')}
        inputMode="numeric"
        placeholder="200001"
        flex="1 1 9rem"
        {...propsOf('tokens')}
      />
      <Select
        label={t('add.tier')}
        allowDeselect={false}
        flex="1 1 9rem"
        data={[
          { value: '', label: t('add.tier.any') },
          ...SERVICE_TIERS.map((tier) => ({ value: tier, label: priceTexts(`condition.${tier}`) })),
        ]}
        {...propsOf('tier')}
      />
      <TextInput
        label={t('add.hours', { zone })}
        placeholder="16:30-00:30"
        flex="1 1 9rem"
        {...propsOf('hours')}
      />
      <MomentField label={t('add.from', { zone: timeZone })} flex="1 1 12rem" {...propsOf('from')} />
    </Group>
  );
}
