import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { formatAmountAndCurrency, formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { keysQuery } from '../keys/key-queries';
import { LimitHistory, ShareBar, usePlaceName } from './limit-history';
import { useLimitTexts } from './limit-texts';

type Limits = Schemas['LimitsResponse'];
type Limit = Schemas['LimitResponse'];

/** A minute passes while one looks. */
const REFRESH_MILLIS = 5_000;
/** New use is told every five seconds, of days that are long. */
const HISTORY_REFRESH_MILLIS = 30_000;

const limitsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['limits'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/limits', { signal })),
    refetchInterval: REFRESH_MILLIS,
  });

const historyQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['limits', 'history'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/limits/history', { signal })),
    refetchInterval: HISTORY_REFRESH_MILLIS,
  });

export function LimitsPage() {
  const t = useLimitTexts();
  const query = useQuery(limitsQuery(useConsoleApi()));
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState
        query={query}
        isEmpty={({ limits, tier }) => limits.length === 0 && tier === null}
        empty={
          <EmptyState
            title={t('empty.title')}
            action={
              <Button variant="default" renderRoot={(props) => <Link to="/keys" {...props} />}>
                {t('empty.keys')}
              </Button>
            }
          >
            {t('empty.text')}
          </EmptyState>
        }
      >
        {(limits) => (
          <Stack>
            {limits.tier && <Tiers {...limits} tier={limits.tier} />}
            <LimitTable limits={limits.limits} />
            <History />
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function Tiers({
  tier,
  next_tier: next,
  paid,
  age_days: days,
}: Limits & { tier: NonNullable<Limits['tier']> }) {
  const t = useLimitTexts();
  const { language } = useLanguage();
  const { currency } = useSite();
  const money = (amount: typeof paid) => formatAmountAndCurrency(amount, currency, language);
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {t('tier')}
        </Text>
        <Title order={2} size="h3">
          {tier.name}
        </Title>
        {next ? (
          <>
            <Text>{t('tier.next', { name: next.name })}</Text>
            <Text size="sm" c="dimmed">
              {t(next.age_days.isZero ? 'tier.needs.paid' : 'tier.needs', {
                paid: money(next.paid),
                days: formatNumber(next.age_days, language),
                yourPaid: money(paid),
                yourDays: formatNumber(days, language),
              })}
            </Text>
          </>
        ) : (
          <Text>{t('tier.highest')}</Text>
        )}
      </Stack>
    </Paper>
  );
}

function useKeyName(): (id: string) => string | undefined {
  const { data: keys } = useQuery(keysQuery(useConsoleApi()));
  return (id) => keys?.find((key) => key.id === id)?.name;
}

function History() {
  const query = useQuery(historyQuery(useConsoleApi()));
  const keyName = useKeyName();
  return <LimitHistory query={query} keyName={keyName} />;
}

function LimitTable({ limits }: { limits: Limit[] }) {
  const t = useLimitTexts();
  const { language } = useLanguage();
  const placeOf = usePlaceName(useKeyName());
  const columns: Column<Limit>[] = [
    {
      key: 'for',
      title: t('column.for'),
      cell: (limit) => (
        <Group gap="xs" wrap="nowrap">
          <MiddleCut text={placeOf(limit)} />
          {limit.set_by_staff && (
            <Badge variant="default" tt="none" flex="none">
              {t('set.staff')}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'limit',
      title: t('column.limit'),
      place: 'line',
      cell: ({ name, limit }) => t(name, { most: formatNumber(limit, language) }),
    },
    {
      key: 'used',
      title: t('column.used'),
      isNumber: true,
      place: 'line',
      cell: (limit) => (
        <Stack gap={4}>
          <Quantity value={limit.used} />
          <ShareBar {...limit} label={`${placeOf(limit)}: ${t('column.used')}`} />
        </Stack>
      ),
    },
  ];
  const keyOf = ({ scope, model, api_key_id: id, name }: Limit) => [scope, model, id, name].join(' ');
  return <DataTable label={t('title')} columns={columns} rows={limits} keyOf={keyOf} />;
}
