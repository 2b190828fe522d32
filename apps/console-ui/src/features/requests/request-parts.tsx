import { Anchor, Badge, Group, Modal, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure, useIntersection } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Figure } from '../../figures/figure';
import { alignedAmounts, Amount, Quantity } from '../../figures/figure-text';
import { type Currency, formatAmountAndCurrency, formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { useTermsText } from '../pricing/model-price-table';
import { type PriceTerms } from '../pricing/pricing-queries';
import { countOf, isOfAMillion } from '../usage/usage-queries';
import { useUsageTexts } from '../usage/usage-texts';
import {
  type LoggedRequest,
  requestCostQuery,
  type RequestDetail,
  type RequestLine,
} from './request-queries';
import { useRequestTexts } from './request-texts';

/** How far below the screen an answer is when its cost is read, so that scrolling shows it at once. */
const AHEAD = '400px';
/** The cost takes no less room than what stands there until it is read. */
const LINE = 'calc(var(--mantine-font-size-sm) * var(--mantine-line-height-sm))';

/** Tokens and exact cost of calls together, as the request log has them. They are read shortly before they come into sight. */
export function CallsCost({ requestIds }: { requestIds: string[] }) {
  const api = useConsoleApi();
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: AHEAD });
  const results = useQueries({
    queries: requestIds.map((id) => ({
      ...requestCostQuery(api, id),
      enabled: entry?.isIntersecting ?? false,
    })),
  });
  const found = results.flatMap(({ data }) => (data ? [data] : []));
  const errors = results.flatMap(({ data, error }) => (error && !data ? [error] : []));
  return (
    <div ref={ref}>
      {found.length + errors.length < results.length ? (
        <Skeleton height={LINE} width="60%" />
      ) : (
        <Sum calls={found} isUnknown={errors.some((error) => toApiError(error).status !== 404)} />
      )}
    </div>
  );
}

/** A call that is not in the log was not charged. */
function Sum({ calls, isUnknown }: { calls: RequestDetail[]; isUnknown: boolean }) {
  const t = useRequestTexts();
  const [first] = calls;
  if (!first || isUnknown)
    return (
      <Text size="sm" c="dimmed">
        {t(isUnknown ? 'cost.unknown' : 'cost.none')}
      </Text>
    );
  return (
    <Group gap="md">
      <Text size="sm" c="dimmed">
        {t('tokens.in')} <Quantity value={Figure.sum(calls.map(({ input_tokens: tokens }) => tokens))} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('tokens.out')} <Quantity value={Figure.sum(calls.map(({ output_tokens: tokens }) => tokens))} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('column.cost')}{' '}
        <Amount value={Figure.sum(calls.map(({ cost }) => cost))} currency={first.currency} />
      </Text>
      <WhyThisCost calls={calls} />
    </Group>
  );
}

/** Opens the explanation of the cost of calls over the page on which it is shown. */
function WhyThisCost({ calls }: { calls: RequestDetail[] }) {
  const t = useRequestTexts();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={open}>
        {t('why')}
      </Anchor>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t('why.calls', { count: calls.length })}
        closeButtonProps={{ 'aria-label': t('why.close') }}
      >
        <Stack gap="xl">
          {calls.map((call) => (
            <Stack key={call.id} gap="xs">
              <Text size="sm" c="dimmed">
                {t('id')}{' '}
                <Text span inherit className="figure">
                  {call.id}
                </Text>
              </Text>
              <CostExplanation request={call} />
            </Stack>
          ))}
        </Stack>
      </Modal>
    </>
  );
}

const COLORS = {
  completed: 'green',
  disconnected: 'gray',
  interrupted: 'orange',
  refused: 'yellow',
  failed: 'red',
} as const;

export function OutcomeBadge({ outcome }: { outcome: LoggedRequest['outcome'] }) {
  const t = useRequestTexts();
  return (
    <Badge variant="dot" color={COLORS[outcome]} tt="none" fw={500} title={t(`outcome.${outcome}.text`)}>
      {t(`outcome.${outcome}`)}
    </Badge>
  );
}

const MILLISECONDS = 3;
const SECOND = Figure.of('1000');

/** Milliseconds as people read them: `840 ms`, and from one second on `2.5 s`; in Chinese `840 毫秒`. */
export function Duration({ value }: { value: Figure | null }) {
  const t = useRequestTexts();
  const { language } = useLanguage();
  if (!value) return '–';
  const isShort = value.compare(SECOND) < 0;
  const number = isShort ? value : value.dividedByTenTo(MILLISECONDS);
  return (
    <Text span inherit className="figure">
      {t(isShort ? 'duration.milliseconds' : 'duration.seconds', { number: formatNumber(number, language) })}
    </Text>
  );
}

/** Quantity × price of each line with all digits, the price list, and the rate where the site is not charged in USD. */
export function CostExplanation({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { currency, lines, price_list: priceList, cost, cost_usd: costUsd, usd_per_unit: rate } = request;
  const shownAmount = alignedAmounts([cost, ...lines.map(({ amount }) => amount)]);
  const columns: Column<RequestLine>[] = [
    {
      key: 'unit',
      title: t('line.unit'),
      cell: (line) => <LineItem line={line} />,
      footer: t('total'),
    },
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
          × <Amount value={price} currency={currency} />{' '}
          <Text span size="sm" c="dimmed">
            {isOfAMillion(unit)
              ? t('price.million')
              : t(unit === 'per_audio_minute' ? 'price.minute' : 'price.one')}
          </Text>
        </>
      ),
    },
    {
      key: 'amount',
      title: t('line.amount'),
      isNumber: true,
      cell: ({ amount }) => <>= {shownAmount(amount, currency)}</>,
      footer: shownAmount(cost, currency),
    },
  ];
  const since = priceList && formatTime(priceList.effective_from, { language, timeZone });
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('why')}</Title>
      <Text size="md" c="dimmed">
        {t('why.text')} {priceList && since && t('priceList', { id: priceList.id, time: since })}
      </Text>
      <DataTable label={t('why')} columns={columns} rows={lines} keyOf={({ meter, unit }) => meter ?? unit} />
      {currency !== 'USD' && rate && <Rate {...{ currency, rate, costUsd }} />}
    </Stack>
  );
}

/** What was counted, and the conditions of the price that held. Calls of earlier versions tell the unit alone. */
function LineItem({ line: { meter, unit, conditions } }: { line: RequestLine }) {
  const t = useRequestTexts();
  const unitTexts = useUsageTexts();
  const termsText = useTermsText();
  return (
    <>
      {meter ? t(`meter.${meter}`) : unitTexts(`unit.${unit}`)}
      {conditions && (
        <Text size="sm" c="dimmed">
          {termsText(conditions as PriceTerms)}
        </Text>
      )}
    </>
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
          {formatAmountAndCurrency(costUsd, 'USD', language)}
        </Text>
      </Text>
      <Text size="md">{t('rate', { rate: `1 ${currency} = ${formatNumber(rate, language)} USD` })}</Text>
      <Text size="sm" c="dimmed">
        {t('rate.text')}
      </Text>
    </Paper>
  );
}
