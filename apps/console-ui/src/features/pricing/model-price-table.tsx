import { Code } from '@mantine/core';
import { type Column, DataTable } from '../../components/data-table';
import { Amount } from '../../figures/figure-text';
import { type ModelPrice, type UnitPrice } from './pricing-queries';
import { usePricingTexts } from './pricing-texts';

/** A price for all tokens stands in the columns of input and of output. */
export function ModelPriceTable({ models }: { models: ModelPrice[] }) {
  const t = usePricingTexts();
  const priceColumn = (title: string, ...units: UnitPrice['unit'][]): Column<ModelPrice> => ({
    key: title,
    title,
    isNumber: true,
    place: 'line',
    cell: ({ prices, currency }) => {
      const unit = units.find((one) => prices[one]);
      const price = unit && prices[unit];
      return price ? <Amount value={price} currency={currency} /> : '–';
    },
  });
  const columns: Column<ModelPrice>[] = [
    { key: 'model', title: t('column.model'), cell: ({ slug }) => <Code>{slug}</Code> },
    priceColumn(t('column.input'), 'per_million_input_tokens', 'per_million_tokens'),
    priceColumn(t('column.output'), 'per_million_output_tokens', 'per_million_tokens'),
    priceColumn(t('column.request'), 'per_request'),
  ];
  return <DataTable label={t('models')} columns={columns} rows={models} keyOf={({ slug }) => slug} />;
}
