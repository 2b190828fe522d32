import { Alert, Badge, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type ChineseTexts, defineTexts, type PlainTextKey } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { formatDuration } from '../../time/format-time';
import { Time } from '../../time/time';

const REFRESH_MILLIS = 10_000;

type SiteHealth = Schemas['SiteHealthResponse'];
type ServiceHealth = SiteHealth['services'][number];

/** Asks all services every ten seconds. */
const healthQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-health'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/health', { signal })),
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });

const en = {
  title: 'Health',
  description: 'The console checks all services of this site every ten seconds.',
  service: 'Service',
  status: 'Status',
  'status.ok': 'Operational',
  'status.unhealthy': 'Unhealthy',
  'status.unavailable': 'No response',
  latency: 'Response time',
  'latency.value': '{{milliseconds}} ms',
  url: 'Address',
  problem: 'Problem',
  'problem.database': 'Database unavailable',
  'problem.unreachable': 'Unreachable',
  'problem.slow': 'No response within 3 seconds',
  uptime: 'Running for',
  started: 'since',
  allWell: 'All services are operational',
  some_one: '{{count}} service has problems',
  some_other: '{{count}} services have problems',
  checked: 'Last checked',
  'name.console': 'Console',
  'name.gateway': 'Gateway',
  'name.router-cost': 'Router cost',
  'name.training': 'Training',
  'name.agent': 'Agents',
  'name.memo': 'Workspaces',
  'name.agent-environments': 'Agent environments',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '服务状态',
  description: '控制台每十秒检查一次本站的所有服务。',
  service: '服务',
  status: '状态',
  'status.ok': '正常',
  'status.unhealthy': '异常',
  'status.unavailable': '无响应',
  latency: '响应时间',
  'latency.value': '{{milliseconds}} 毫秒',
  url: '地址',
  problem: '问题',
  'problem.database': '无法连接数据库',
  'problem.unreachable': '无法连接',
  'problem.slow': '3 秒内没有响应',
  uptime: '已运行',
  started: '启动于',
  allWell: '所有服务正常',
  some_other: '{{count}} 个服务有问题',
  checked: '检查时间',
  'name.console': '控制台',
  'name.gateway': '网关',
  'name.router-cost': '路由费用',
  'name.training': '训练',
  'name.agent': '智能体',
  'name.memo': '知识库',
  'name.agent-environments': '智能体环境',
};

const useAdminHealthTexts = defineTexts('admin-health', en, zh);

const COLORS = { ok: 'green', unhealthy: 'red', unavailable: 'red' } as const;

/** Texts for what the console and the services usually say. */
const PROBLEMS: Record<string, PlainTextKey<typeof en>> = {
  'database unavailable': 'problem.database',
  'cannot be reached': 'problem.unreachable',
  'no answer within 3 seconds': 'problem.slow',
};

export function HealthPage() {
  const t = useAdminHealthTexts();
  const query = useQuery(healthQuery(useConsoleApi()));
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState query={query}>{(health) => <Health health={health} />}</QueryState>
    </Page>
  );
}

function Health({ health: { services, checked_at: checkedAt } }: { health: SiteHealth }) {
  const t = useAdminHealthTexts();
  const { language } = useLanguage();
  const failing = services.filter(({ status }) => status !== 'ok').length;
  const problemOf = (message: string | null) => {
    if (message === null) return '–';
    const key = PROBLEMS[message];
    return key ? t(key) : message;
  };
  const columns: Column<ServiceHealth>[] = [
    {
      key: 'service',
      title: t('service'),
      cell: ({ name }) => (
        <Text span inherit fw={500}>
          {t(`name.${name}`)}
        </Text>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: ({ status }) => (
        <Badge variant="dot" color={COLORS[status]} tt="none" fw={500}>
          {t(`status.${status}`)}
        </Badge>
      ),
    },
    {
      key: 'uptime',
      title: t('uptime'),
      place: 'more',
      cell: ({ started_at: startedAt }) =>
        startedAt === null ? (
          '–'
        ) : (
          <>
            {formatDuration(Date.parse(checkedAt) - Date.parse(startedAt), language)}{' '}
            <Text span inherit c="dimmed">
              ({t('started')} <Time value={startedAt} />)
            </Text>
          </>
        ),
    },
    { key: 'problem', title: t('problem'), place: 'line', cell: ({ message }) => problemOf(message) },
    {
      key: 'latency',
      title: t('latency'),
      isNumber: true,
      cell: ({ latency_ms: latency }) =>
        latency === null ? '–' : t('latency.value', { milliseconds: latency.toString() }),
    },
    { key: 'url', title: t('url'), cell: ({ url }) => url },
  ];
  return (
    <>
      <div role="status">
        <Alert
          variant="light"
          color={failing === 0 ? 'green' : 'red'}
          icon={failing === 0 ? <CircleCheck size={18} /> : <CircleAlert size={18} />}
          title={failing === 0 ? t('allWell') : t('some', { count: failing })}
        />
      </div>
      <DataTable label={t('title')} columns={columns} rows={services} keyOf={({ name }) => name} />
      <Text size="sm" c="dimmed">
        {t('checked')} <Time value={checkedAt} detail="second" />
      </Text>
    </>
  );
}
