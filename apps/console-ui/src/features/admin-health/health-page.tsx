import { Alert, Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type PlainTextKey } from '../../language/define-texts';
import { useLanguage } from '../../language/language-context';
import { formatDuration } from '../../time/format-time';
import { Time } from '../../time/time';
import { type en, useAdminHealthTexts } from './admin-health-texts';
import { healthQuery, type ServiceHealth, type SiteHealth } from './health-queries';

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
