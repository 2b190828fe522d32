import { Paper, Stack, Text, Title } from '@mantine/core';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { type Figure } from '../../../figures/figure';
import { type Currency, formatExactAmount, formatNumber } from '../../../figures/format-figure';
import { Price } from '../../../figures/price';
import { Quantity } from '../../../figures/quantity';
import { useLanguage } from '../../../language/language-context';
import { formatTime } from '../../../time/format-time';
import { useTimeZone } from '../../../time/time-zone-context';
import { countOf } from '../../usage/unit-count';
import { useUsageTexts } from '../../usage/usage-texts';
import { type RequestDetail, type RequestLine } from '../request-queries';
import { useRequestTexts } from '../request-texts';

/** Quantity × price of each line with all digits, the price list, and the rate where the site is not charged in USD. */
export function CostExplanation({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const unitTexts = useUsageTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { currency, lines, price_list: priceList, cost, cost_usd: costUsd, usd_per_unit: rate } = request;
  const columns: Column<RequestLine>[] = [
    { key: 'unit', title: t('line.unit'), cell: ({ unit }) => unitTexts(`unit.${unit}`), footer: t('total') },
    {
      key: 'quantity',
      title: t('line.quantity'),
      isNumber: true,
      cell: ({ unit, quantity }) => <Quantity value={countOf(unit, quantity)} />,
    },
    {
      key: 'price',
      title: t('line.price'),
      isNumber: true,
      cell: ({ unit, price }) => (
        <>
          × <Price value={price} currency={currency} />{' '}
          <Text span size="sm" c="dimmed">
            {unit === 'per_request' ? t('price.one') : t('price.million')}
          </Text>
        </>
      ),
    },
    {
      key: 'amount',
      title: t('line.amount'),
      isNumber: true,
      cell: ({ amount }) => (
        <>
          = <Price value={amount} currency={currency} />
        </>
      ),
      footer: <Price value={cost} currency={currency} />,
    },
  ];
  const since = formatTime(priceList.effective_from, { language, timeZone });
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('why')}</Title>
      <Text size="md" c="dimmed">
        {t('why.text')} {t('priceList', { id: priceList.id, time: since })}
      </Text>
      <DataTable label={t('why')} columns={columns} rows={lines} keyOf={({ unit }) => unit} />
      {currency !== 'USD' && <Rate {...{ currency, rate, costUsd }} />}
    </Stack>
  );
}

function Rate({ currency, rate, costUsd }: { currency: Currency; rate: Figure; costUsd: Figure }) {
  const t = useRequestTexts();
  const { language } = useLanguage();
  return (
    <Paper withBorder p="md">
      <Text size="md">
        {t('rate.usd')}{' '}
        <Text span inherit fw={600} className="figure">
          {formatExactAmount(costUsd, 'USD', language)}
        </Text>
      </Text>
      <Text size="md">{t('rate', { rate: `1 ${currency} = ${formatNumber(rate, language)} USD` })}</Text>
      <Text size="sm" c="dimmed">
        {t('rate.text')}
      </Text>
    </Paper>
  );
}
