import { Alert, Badge, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts, type PlainTextKey } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { formatDuration } from '../../time/format-time';
import { Time } from '../../time/time';
import { UpstreamStatus } from '../admin-serving/upstream-status';

const REFRESH_MILLIS = 10_000;

type SiteHealth = Schemas['SiteHealthResponse'];
type ServiceHealth = SiteHealth['services'][number];
type UpstreamState = Schemas['UpstreamStateResponse'];
type Queue = Schemas['QueueResponse'];

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
  description: 'All services, upstreams and queues of this site, checked every ten seconds.',
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
  upstreams: 'Upstreams',
  'upstreams.none': 'No upstream is stored.',
  'upstreams.sum': 'Calls in the last minute: {{calls}}, failed: {{failures}}',
  upstream: 'Upstream',
  running: 'Running',
  'running.of': '{{running}} of {{limit}}',
  calls: 'Calls a minute',
  failures: 'Failed',
  firstByte: 'First byte',
  queues: 'Queues',
  queue: 'What waits',
  waiting: 'Waiting',
  oldest: 'Oldest for',
  'queue.usage': 'Usage to be settled',
  'queue.job': 'Jobs of the console',
  'queue.mail': 'Mails to be sent',
  'queue.payment': 'Payments without a result',
  'queue.refund': 'Refunds without a result',
  'queue.provider_event': 'Provider events for a person',
  'queue.invoice': 'Invoices without a tax file',
  unknown: 'Not known: the database does not answer.',
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
  description: '本站的所有服务、上游和队列，每十秒检查一次。',
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
  upstreams: '上游',
  'upstreams.none': '尚未添加上游。',
  'upstreams.sum': '最近一分钟 {{calls}} 次调用，其中 {{failures}} 次失败',
  upstream: '上游',
  running: '进行中',
  'running.of': '{{running}} / {{limit}}',
  calls: '每分钟调用',
  failures: '失败',
  firstByte: '首字节',
  queues: '队列',
  queue: '内容',
  waiting: '等待数量',
  oldest: '最长等待',
  'queue.usage': '待结算的用量',
  'queue.job': '控制台任务',
  'queue.mail': '待发送的邮件',
  'queue.payment': '未确认的付款',
  'queue.refund': '未确认的退款',
  'queue.provider_event': '待人工处理的支付渠道事件',
  'queue.invoice': '待取得税务文件的发票',
  unknown: '未知：数据库没有响应。',
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

function Health({ health }: { health: SiteHealth }) {
  const { services, upstreams, queues, checked_at: checkedAt } = health;
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
              · {t('started')} <Time value={startedAt} />
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
      <Stack component="section" gap="sm">
        <Title order={2}>{t('upstreams')}</Title>
        {upstreams ? <Upstreams upstreams={upstreams} /> : <Text c="dimmed">{t('unknown')}</Text>}
      </Stack>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('queues')}</Title>
        {queues ? <Queues queues={queues} /> : <Text c="dimmed">{t('unknown')}</Text>}
      </Stack>
      <Text size="sm" c="dimmed">
        {t('checked')} <Time value={checkedAt} detail="second" />
      </Text>
    </>
  );
}

function Upstreams({ upstreams }: { upstreams: UpstreamState[] }) {
  const t = useAdminHealthTexts();
  if (upstreams.length === 0) return <Text c="dimmed">{t('upstreams.none')}</Text>;
  const sum = (read: (upstream: UpstreamState) => Figure) => Figure.sum(upstreams.map(read)).toString();
  const columns: Column<UpstreamState>[] = [
    {
      key: 'upstream',
      title: t('upstream'),
      cell: ({ name }) => (
        <Text span inherit fw={500}>
          {name}
        </Text>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: (upstream) => <UpstreamStatus {...upstream} />,
    },
    {
      key: 'running',
      title: t('running'),
      isNumber: true,
      place: 'line',
      cell: ({ running, concurrency }) =>
        concurrency === null
          ? running.toString()
          : t('running.of', { running: running.toString(), limit: concurrency.toString() }),
    },
    {
      key: 'calls',
      title: t('calls'),
      isNumber: true,
      place: 'more',
      cell: ({ calls_per_minute: calls }) => <Quantity value={calls} />,
    },
    {
      key: 'failures',
      title: t('failures'),
      isNumber: true,
      place: 'figure',
      cell: ({ calls_per_minute: calls, failures_per_minute: failures }) => shareText(failures, calls),
    },
    {
      key: 'firstByte',
      title: t('firstByte'),
      isNumber: true,
      place: 'more',
      cell: ({ first_byte_ms: millis }) =>
        millis === null ? '–' : t('latency.value', { milliseconds: millis.toString() }),
    },
  ];
  return (
    <>
      <DataTable label={t('upstreams')} columns={columns} rows={upstreams} keyOf={({ name }) => name} />
      <Text size="sm" c="dimmed">
        {t('upstreams.sum', {
          calls: sum(({ calls_per_minute: calls }) => calls),
          failures: sum(({ failures_per_minute: failures }) => failures),
        })}
      </Text>
    </>
  );
}

/** Failed calls in percent of all. Both are small, and the share need not be exact. */
const shareText = (part: Figure, whole: Figure): string =>
  whole.isZero ? '–' : `${((100 * part.toScreenNumber()) / whole.toScreenNumber()).toFixed(1)}%`;

function Queues({ queues }: { queues: Queue[] }) {
  const t = useAdminHealthTexts();
  const { language } = useLanguage();
  const columns: Column<Queue>[] = [
    { key: 'queue', title: t('queue'), cell: ({ name }) => t(`queue.${name}`) },
    {
      key: 'oldest',
      title: t('oldest'),
      place: 'line',
      cell: ({ waiting, oldest_seconds: seconds }) =>
        waiting.isZero ? '–' : formatDuration(seconds.toScreenNumber() * 1000, language),
    },
    {
      key: 'waiting',
      title: t('waiting'),
      isNumber: true,
      cell: ({ waiting }) => <Quantity value={waiting} />,
    },
  ];
  return <DataTable label={t('queues')} columns={columns} rows={queues} keyOf={({ name }) => name} />;
}
