import { Anchor, Badge, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/account';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount, PercentText, Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts, type PlainTextKey } from '../../language/define-texts';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import classes from './dashboard.module.css';

const en = {
  title: 'Dashboard',
  description: 'The whole site by UTC days, compared with the period before.',
  period: 'Period',
  'period.today': 'Today',
  'period.7d': '7 days',
  'period.30d': '30 days',
  'period.90d': '90 days',
  revenue: 'Revenue from usage',
  margin: 'Margin',
  'margin.without': 'Calls without a known cost, not counted: {{calls}}',
  calls: 'Calls',
  tokens: 'Tokens',
  failed: 'Failed calls',
  refused: 'Refused calls',
  latency: 'Mean call duration',
  'latency.hour': 'In the last hour',
  'latency.days': 'On complete days',
  'latency.value': '{{ms}} ms',
  active: 'Active accounts',
  new: 'New accounts',
  failedPayments: 'Failed payments',
  before: 'Previously: ',
  unknown: 'not recorded',
  models: 'Models with the highest revenue',
  accounts: 'Customers with the highest revenue',
  model: 'Model',
  account: 'Account',
  nothing: 'No usage in this period.',
  report: 'Open the cost report',
  upstreams: 'Upstreams now',
  'upstreams.up': '{{upstreams}} up',
  'upstreams.down': '{{upstreams}} down',
  'upstreams.unknown': '{{upstreams}} without reports',
  'upstreams.draining': '{{upstreams}} draining',
  'upstreams.off': '{{upstreams}} off',
  'upstreams.none': 'No upstream is stored.',
  'upstreams.away': 'Not known: the database does not answer.',
  'upstreams.every': 'Each model has a working upstream.',
  'upstreams.without': 'Models without a working upstream: {{models}}',
  health: 'Open the health page',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '运营看板',
  description: '全站数据，按 UTC 日期统计，并与上一周期对比。',
  period: '周期',
  'period.today': '今天',
  'period.7d': '7 天',
  'period.30d': '30 天',
  'period.90d': '90 天',
  revenue: '用量收入',
  margin: '毛利',
  'margin.without': '成本未知、未计入的调用：{{calls}}',
  calls: '调用次数',
  tokens: 'Token 数',
  failed: '失败调用',
  refused: '被拒调用',
  latency: '平均调用耗时',
  'latency.hour': '最近一小时',
  'latency.days': '已结束的日期',
  'latency.value': '{{ms}} 毫秒',
  active: '活跃账户',
  new: '新增账户',
  failedPayments: '失败付款',
  before: '上一周期：',
  unknown: '无记录',
  models: '收入最高的模型',
  accounts: '收入最高的客户',
  model: '模型',
  account: '账户',
  nothing: '此周期内没有用量。',
  report: '查看费用报表',
  upstreams: '上游现状',
  'upstreams.up': '正常 {{upstreams}} 个',
  'upstreams.down': '不可用 {{upstreams}} 个',
  'upstreams.unknown': '暂无上报 {{upstreams}} 个',
  'upstreams.draining': '排空中 {{upstreams}} 个',
  'upstreams.off': '已停用 {{upstreams}} 个',
  'upstreams.none': '尚未添加上游。',
  'upstreams.away': '未知：数据库没有响应。',
  'upstreams.every': '每个模型都有可用的上游。',
  'upstreams.without': '没有可用上游的模型：{{models}}',
  health: '查看服务状态',
};

const useDashboardTexts = defineTexts('admin-dashboard', en, zh);

type Dashboard = Schemas['DashboardResponse'];
type Figures = Schemas['DashboardFiguresResponse'];

const PERIODS = ['today', '7d', '30d', '90d'] as const;
type Period = (typeof PERIODS)[number];

const REFRESH_MILLIS = 60_000;

const dashboardQuery = (api: ConsoleApi, period: Period) =>
  queryOptions({
    queryKey: ['admin-dashboard', period],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/dashboard', { signal, params: { query: { period } } })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });

/** The site at a glance, for its staff. */
export function DashboardPage() {
  const t = useDashboardTexts();
  const [period, setPeriod] = useState<Period>('today');
  const query = useQuery(dashboardQuery(useConsoleApi(), period));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <SegmentedControl
          aria-label={t('period')}
          value={period}
          data={PERIODS.map((value) => ({ value, label: t(`period.${value}`) }))}
          onChange={(value) => setPeriod(PERIODS.find((known) => known === value) ?? 'today')}
        />
      }
    >
      <QueryState query={query}>
        {(dashboard) => <DashboardContent dashboard={dashboard} isToday={period === 'today'} />}
      </QueryState>
    </Page>
  );
}

function DashboardContent({ dashboard, isToday }: { dashboard: Dashboard; isToday: boolean }) {
  const t = useDashboardTexts();
  const { current, before, currency, margin } = dashboard;
  const amount = (value: Figure) => <Amount value={value} currency={currency} />;
  const count = (value: Figure | null) => (value === null ? t('unknown') : <Quantity value={value} />);
  const card = (name: PlainTextKey<typeof en>, of: (figures: Figures) => Figure | null) => (
    <FigureCard title={t(name)} value={of(current)} before={of(before)} show={count} />
  );
  return (
    <Stack gap="xl">
      <div className={classes.cards}>
        <FigureCard title={t('revenue')} value={current.revenue} before={before.revenue} show={amount} />
        <FigureCard
          title={t('margin')}
          note={t('margin.without', { calls: margin.calls_without_cost.toString() })}
          value={margin.margin}
          show={(value) => (value === null ? t('unknown') : amount(value))}
        />
        {card('calls', ({ calls }) => calls)}
        {card('tokens', ({ tokens }) => tokens)}
        {card('active', (figures) => figures.active_accounts)}
        {card('new', (figures) => figures.new_accounts)}
        {card('failed', (figures) => figures.failed_calls)}
        {card('refused', (figures) => figures.refused_calls)}
        {card('failedPayments', (figures) => figures.failed_payments)}
        <FigureCard
          title={t('latency')}
          note={t(isToday ? 'latency.hour' : 'latency.days')}
          value={current.mean_duration_ms}
          before={before.mean_duration_ms}
          show={(value) =>
            value === null ? '–' : t('latency.value', { ms: String(Math.round(value.toScreenNumber())) })
          }
        />
      </div>
      <UpstreamCounts upstreams={dashboard.upstreams} />
      <div className={classes.lists}>
        <TopModels dashboard={dashboard} />
        <TopAccounts dashboard={dashboard} />
      </div>
      {useMay()('GET /api/cost-report') && (
        <Anchor component={Link} to="/cost-report">
          {t('report')}
        </Anchor>
      )}
    </Stack>
  );
}

const STATES = { up: 'green', down: 'red', unknown: 'gray', draining: 'gray', off: 'gray' } as const;

function UpstreamCounts({ upstreams }: Pick<Dashboard, 'upstreams'>) {
  const t = useDashboardTexts();
  const mayReadHealth = useMay()('GET /api/admin/health');
  const states = (Object.keys(STATES) as (keyof typeof STATES)[]).filter(
    (state) => upstreams && !upstreams[state].isZero,
  );
  const without = upstreams?.models_without_upstream ?? [];
  return (
    <Stack component="section" gap="sm" align="flex-start">
      <Title order={2}>{t('upstreams')}</Title>
      {states.length === 0 ? (
        <Text c="dimmed">{t(upstreams ? 'upstreams.none' : 'upstreams.away')}</Text>
      ) : (
        <Group gap="xs">
          {states.map((state) => (
            <Badge key={state} variant="dot" size="lg" color={STATES[state]} tt="none" fw={500}>
              {t(`upstreams.${state}`, { upstreams: upstreams![state].toString() })}
            </Badge>
          ))}
        </Group>
      )}
      {upstreams && (without.length > 0 || states.length > 0) && (
        <Text c={without.length > 0 ? 'red' : 'dimmed'}>
          {without.length > 0 ? t('upstreams.without', { models: without.join(', ') }) : t('upstreams.every')}
        </Text>
      )}
      {mayReadHealth && (
        <Anchor component={Link} to="/admin/health">
          {t('health')}
        </Anchor>
      )}
    </Stack>
  );
}

/** A figure, mostly with the one of the period before and the change between them. */
function FigureCard<Value extends Figure | null>({
  title,
  note,
  value,
  before,
  show,
}: {
  title: string;
  note?: string;
  value: Value;
  /** Undefined: it is not compared. */
  before?: Value;
  show: (value: Value) => ReactNode;
}) {
  const t = useDashboardTexts();
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Text c="dimmed">{title}</Text>
      <Text size="xl" fw={600}>
        {show(value)}
      </Text>
      {before !== undefined && (
        <Group gap="xs">
          {value && before && !before.isZero && <PercentText before={before} after={value} />}
          <Text c="dimmed">
            {t('before')}
            {show(before)}
          </Text>
        </Group>
      )}
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  );
}

function TopModels({ dashboard: { top_models: models, currency } }: { dashboard: Dashboard }) {
  const t = useDashboardTexts();
  const columns: Column<Dashboard['top_models'][number]>[] = [
    {
      key: 'model',
      title: t('model'),
      place: 'title',
      cell: ({ model }) => <span translate="no">{model}</span>,
    },
    {
      key: 'revenue',
      title: t('revenue'),
      isNumber: true,
      place: 'figure',
      cell: ({ revenue }) => <Amount value={revenue} currency={currency} />,
    },
    {
      key: 'calls',
      title: t('calls'),
      isNumber: true,
      place: 'line',
      cell: ({ calls }) => (calls === null ? t('unknown') : <Quantity value={calls} />),
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('models')}</Title>
      {models.length === 0 ? (
        <Text c="dimmed">{t('nothing')}</Text>
      ) : (
        <DataTable label={t('models')} columns={columns} rows={models} keyOf={({ model }) => model} />
      )}
    </Stack>
  );
}

function TopAccounts({ dashboard: { top_accounts: accounts, currency } }: { dashboard: Dashboard }) {
  const t = useDashboardTexts();
  const emails = useAccountEmails(accounts.map(({ account_id: id }) => id));
  const columns: Column<Dashboard['top_accounts'][number]>[] = [
    {
      key: 'account',
      title: t('account'),
      place: 'title',
      cell: ({ account_id: id }) => <AccountLink id={id} emails={emails} />,
    },
    {
      key: 'revenue',
      title: t('revenue'),
      isNumber: true,
      cell: ({ revenue }) => <Amount value={revenue} currency={currency} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('accounts')}</Title>
      {accounts.length === 0 ? (
        <Text c="dimmed">{t('nothing')}</Text>
      ) : (
        <DataTable
          label={t('accounts')}
          columns={columns}
          rows={accounts}
          keyOf={({ account_id: id }) => id}
        />
      )}
    </Stack>
  );
}
