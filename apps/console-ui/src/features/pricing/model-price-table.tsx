import { Code, Stack, Text } from '@mantine/core';
import { type Column, DataTable } from '../../components/data-table';
import { Amount } from '../../figures/figure-text';
import { UnitPrices } from './price-terms';
import { type ModelPrice, type PriceUnit, type UnitPrice } from './pricing-queries';
import { usePricingTexts } from './pricing-texts';

/** The units with a column of their own. */
const COLUMNS: PriceUnit[] = [
  'per_million_input_tokens',
  'per_million_output_tokens',
  'per_million_tokens',
  'per_request',
];

const hasOthers = ({ conditional_prices: conditional, upcoming }: UnitPrice): boolean =>
  Boolean(conditional ?? upcoming);
/** What the columns of a model do not tell. */
const furtherOf = ({ rows }: ModelPrice): UnitPrice[] =>
  rows.filter((row) => !COLUMNS.includes(row.unit) || hasOthers(row));

/** A price for all tokens stands in the columns of input and of output. */
export function ModelPriceTable({ models }: { models: ModelPrice[] }) {
  const t = usePricingTexts();
  const priceColumn = (title: string, ...units: PriceUnit[]): Column<ModelPrice> => ({
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
    ...(models.some((model) => furtherOf(model).length > 0)
      ? [
          {
            key: 'further',
            title: t('column.further'),
            place: 'line' as const,
            cell: (model: ModelPrice) => <FurtherPrices rows={furtherOf(model)} />,
          },
        ]
      : []),
  ];
  return <DataTable label={t('models')} columns={columns} rows={models} keyOf={({ slug }) => slug} />;
}

function FurtherPrices({ rows }: { rows: UnitPrice[] }) {
  const t = usePricingTexts();
  if (rows.length === 0) return '–';
  return (
    <Stack gap="xs">
      {rows.map((row) => (
        <div key={row.unit}>
          <Text size="sm" fw={500}>
            {t(`unit.${row.unit}`)}
          </Text>
          <UnitPrices row={row} isPlainShown={COLUMNS.includes(row.unit)} />
        </div>
      ))}
    </Stack>
  );
}
