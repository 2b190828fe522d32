import { Group, Select, type SelectProps, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { Amount } from '../../figures/figure-text';
import { groupByModel, type ModelPrice, pricingQuery } from '../pricing/pricing-queries';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';

interface Props {
  label: string;
  models: string[];
  value: string | undefined;
  isDisabled: boolean;
  onChange: (model: string) => void;
}

/** A model, found by any part of its name, with its prices for a million tokens beside it. */
export function ModelPicker({ label, models, value, isDisabled, onChange }: Props) {
  const t = usePlaygroundTexts();
  const { data } = useQuery(pricingQuery(useConsoleApi()));
  const prices = new Map(groupByModel(data?.models ?? []).map((model) => [model.slug, model]));
  const option: SelectProps['renderOption'] = ({ option: { value: slug } }) => {
    const price = prices.get(slug);
    return (
      <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
        <Text size="sm" className={classes.model!}>
          {slug}
        </Text>
        {price && <PriceText price={price} />}
      </Group>
    );
  };
  const chosen = value === undefined ? undefined : prices.get(value);
  return (
    <Select
      label={label}
      description={chosen && <PriceText price={chosen} isLong />}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={models}
      value={value ?? null}
      searchable
      nothingFoundMessage={t('model.notFound')}
      allowDeselect={false}
      disabled={isDisabled}
      renderOption={option}
      onChange={(model) => model && onChange(model)}
    />
  );
}

/** `$0.15 / $0.60`: input and output. `isLong`: says so. */
function PriceText({ price, isLong = false }: { price: ModelPrice; isLong?: boolean }) {
  const t = usePlaygroundTexts();
  const { currency, prices } = price;
  const input = prices.per_million_input_tokens ?? prices.per_million_tokens;
  const output = prices.per_million_output_tokens ?? prices.per_million_tokens;
  if (!input && !output)
    return prices.per_request ? (
      <Text span size="sm" c="dimmed" className={classes.price!}>
        <Amount value={prices.per_request} currency={currency} /> {t('price.request')}
      </Text>
    ) : null;
  return (
    <Text span size="sm" c="dimmed" className={isLong ? undefined : classes.price!}>
      {input && <Amount value={input} currency={currency} />}
      {input && output && ' / '}
      {output && <Amount value={output} currency={currency} />}
      {isLong && ` ${t(input && output ? 'price.both' : 'price.one')}`}
    </Text>
  );
}
