import { Badge, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
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
import { useLanguage } from '../../language/language-context';
import { keysQuery } from '../keys/key-queries';
import { useLimitTexts } from './limits-texts';

type Limits = Schemas['LimitsResponse'];
type Limit = Schemas['LimitResponse'];

/** A minute passes while one looks. */
const REFRESH_MILLIS = 5_000;

const limitsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['limits'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/limits', { signal })),
    refetchInterval: REFRESH_MILLIS,
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
              {t('tier.needs', {
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

function LimitTable({ limits }: { limits: Limit[] }) {
  const t = useLimitTexts();
  const { language } = useLanguage();
  const { data: keys } = useQuery(keysQuery(useConsoleApi()));
  const placeOf = ({ scope, model, api_key_id: id }: Limit) => {
    if (scope === 'key') return t('for.key', { name: keys?.find((key) => key.id === id)?.name ?? id ?? '' });
    return model === '*' ? t('for.others') : t('for.model', { model: model ?? '' });
  };
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
          <Progress
            value={shareOf(limit)}
            miw="6rem"
            color={shareOf(limit) >= 90 ? 'orange' : undefined}
            aria-label={`${placeOf(limit)}: ${t('column.used')}`}
          />
        </Stack>
      ),
    },
  ];
  const keyOf = ({ scope, model, api_key_id: id, name }: Limit) => [scope, model, id, name].join(' ');
  return <DataTable label={t('title')} columns={columns} rows={limits} keyOf={keyOf} />;
}

/** In percent, for the eye. */
const shareOf = ({ used, limit }: Limit): number =>
  Math.min(100, (used.toScreenNumber() / limit.toScreenNumber()) * 100);
