import { Code, Stack, Text } from '@mantine/core';
import { useSite } from '../../api/site';
import { type Column, DataTable } from '../../components/data-table';
import { Amount } from '../../figures/figure-text';
import { formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { type ModelPrice, type PriceTerms, type PriceUnit, type UnitPrice } from './pricing-queries';
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

/** The prices of models as columns. A price that no model has is no column, and one for all tokens stands in those of input and of output. */
export function usePriceColumns<Kind extends ModelPrice>(models: Kind[]): Column<Kind>[] {
  const t = usePricingTexts();
  const priceColumn = (title: string, ...units: PriceUnit[]): Column<Kind>[] => {
    const priceOf = ({ prices }: Kind) => units.map((unit) => prices[unit]).find(Boolean);
    if (!models.some(priceOf)) return [];
    const cell = (model: Kind) => {
      const price = priceOf(model);
      return price ? <Amount value={price} currency={model.currency} /> : '–';
    };
    return [{ key: title, title, isNumber: true, place: 'line', cell }];
  };
  const further: Column<Kind> = {
    key: 'further',
    title: t('column.further'),
    place: 'line',
    cell: (model) => <FurtherPrices rows={furtherOf(model)} />,
  };
  return [
    ...priceColumn(t('column.input'), 'per_million_input_tokens', 'per_million_tokens'),
    ...priceColumn(t('column.output'), 'per_million_output_tokens', 'per_million_tokens'),
    ...priceColumn(t('column.request'), 'per_request'),
    ...(models.some((model) => furtherOf(model).length > 0) ? [further] : []),
  ];
}

export function ModelPriceTable({ models }: { models: ModelPrice[] }) {
  const t = usePricingTexts();
  const columns: Column<ModelPrice>[] = [
    { key: 'model', title: t('column.model'), cell: ({ slug }) => <Code>{slug}</Code> },
    ...usePriceColumns(models),
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

/** Says when a price holds; empty for one that always does. */
export function useTermsText(): (terms: PriceTerms) => string {
  const t = usePricingTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { time_zone: zone } = useSite();
  return ({ min_input_tokens: tokens, service_tier: tier, hours, effective_from: from }) => {
    const [start, end] = hours?.split('-') ?? [];
    return [
      ...(tokens ? [t('condition.tokens', { tokens: formatNumber(tokens, language) })] : []),
      ...(tier ? [t(`condition.${tier}`)] : []),
      ...(start && end ? [t('condition.hours', { from: start, to: end, zone })] : []),
      ...(from
        ? [t('condition.from', { time: formatTime(from, { language, timeZone }), zone: timeZone })]
        : []),
    ].join(t('condition.and'));
  };
}

/** The price of a unit, and below it those with conditions and those to come. `isPlainShown`: the first stands elsewhere. */
export function UnitPrices({ row, isPlainShown = false }: { row: UnitPrice; isPlainShown?: boolean }) {
  const others = [...(row.conditional_prices ?? []), ...(row.upcoming ?? [])];
  const textOf = useTermsText();
  return (
    <Stack gap={0}>
      {!isPlainShown && <Amount value={row.price} currency={row.currency} />}
      {others.map((other) => {
        const terms = textOf(other);
        return (
          <Text key={terms} size="sm" c="dimmed">
            <Amount value={other.price} currency={row.currency} /> · {terms}
          </Text>
        );
      })}
    </Stack>
  );
}
