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
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { keysQuery } from '../keys/key-queries';

const en = {
  title: 'Limits',
  description: 'How fast your account and your keys may call models, and what counts against each limit now.',
  tier: 'Tier',
  'tier.next': 'Next tier: {{name}}',
  'tier.needs':
    '{{paid}} paid in all and an account of {{days}} days. You have paid {{yourPaid}}, and your account exists for {{yourDays}} days. You rise by yourself.',
  'tier.highest': 'This is the highest tier.',
  'empty.title': 'No limits',
  'empty.text': 'Nothing limits how fast you may call models. You can set limits for each key.',
  'empty.keys': 'Show keys',
  'column.for': 'For',
  'column.limit': 'Limit',
  'column.used': 'Used now',
  'for.model': 'Account, model {{model}}',
  'for.others': 'Account, each other model',
  'for.key': 'Key {{name}}',
  'set.staff': 'Set by staff',
  requests_per_minute: '{{most}} requests a minute',
  tokens_per_minute: '{{most}} tokens a minute',
  tokens_per_day: '{{most}} tokens a day',
  concurrency: '{{most}} requests at a time',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '速率限制',
  description: '您的账户和密钥调用模型的速度上限，以及当前已用的额度。',
  tier: '等级',
  'tier.next': '下一等级：{{name}}',
  'tier.needs':
    '需累计付款 {{paid}}，且账户创建满 {{days}} 天。您已付款 {{yourPaid}}，账户已创建 {{yourDays}} 天。达到后自动升级。',
  'tier.highest': '您已处于最高等级。',
  'empty.title': '没有限制',
  'empty.text': '目前调用模型没有速率限制。您可以为每个密钥单独设置。',
  'empty.keys': '查看密钥',
  'column.for': '对象',
  'column.limit': '上限',
  'column.used': '当前已用',
  'for.model': '账户，模型 {{model}}',
  'for.others': '账户，其他每个模型',
  'for.key': '密钥 {{name}}',
  'set.staff': '由工作人员设置',
  requests_per_minute: '每分钟 {{most}} 次请求',
  tokens_per_minute: '每分钟 {{most}} 个 Token',
  tokens_per_day: '每天 {{most}} 个 Token',
  concurrency: '同时 {{most}} 个请求',
};

const useLimitTexts = defineTexts('limits', en, zh);

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
