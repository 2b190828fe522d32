import { Paper, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { fileLoader } from '../../components/lazy-file';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount, Quantity } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
import { addDays, dayOf, formatDay } from '../../time/calendar-day';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import {
  MARGIN_ORDERS,
  MARGIN_SERIES,
  type MarginOrder,
  marginPoints,
  type MarginReport,
  type MarginRow,
  sortedRows,
} from './margin-report';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Margin',
  description: 'What usage brings in and what the upstreams take for it, in days of UTC.',
  from: 'First day',
  to: 'Last day',
  group: 'Show by',
  'by.day': 'Day',
  'by.model': 'Model',
  'by.upstream': 'Upstream',
  'by.account': 'Account',
  sort: 'Sort by',
  'sort.revenue': 'Highest revenue',
  'sort.cost': 'Highest cost',
  'sort.margin': 'Highest margin',
  'sort.loss': 'Lowest margin',
  'sort.share': 'Highest margin rate',
  'sort.uncosted': 'Most calls without a known cost',
  chart: 'Revenue of the days, by cost and margin',
  'chart.cost': 'Cost',
  'chart.margin': 'Margin',
  'chart.uncosted': 'Revenue without a known cost',
  calls: 'Calls',
  uncosted: 'Without a known cost',
  revenue: 'Revenue',
  cost: 'Cost',
  margin: 'Margin',
  share: 'Margin rate',
  total: 'Total',
  note: 'Calls whose upstream has no cost price count in calls and revenue only, not in the margin.',
  'empty.title': 'No usage',
  'empty.text': 'Nothing was used in this period since costs are counted.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '毛利',
  description: '用量收入与上游成本，按 UTC 日期统计。',
  from: '开始日期',
  to: '结束日期',
  group: '分组',
  'by.day': '日期',
  'by.model': '模型',
  'by.upstream': '上游',
  'by.account': '账户',
  sort: '排序',
  'sort.revenue': '收入从高到低',
  'sort.cost': '成本从高到低',
  'sort.margin': '毛利从高到低',
  'sort.loss': '毛利从低到高',
  'sort.share': '毛利率从高到低',
  'sort.uncosted': '成本未知的调用从多到少',
  chart: '每日收入：成本与毛利',
  'chart.cost': '成本',
  'chart.margin': '毛利',
  'chart.uncosted': '成本未知的收入',
  calls: '调用次数',
  uncosted: '成本未知',
  revenue: '收入',
  cost: '成本',
  margin: '毛利',
  share: '毛利率',
  total: '合计',
  note: '上游没有成本价的调用只计入调用次数和收入，不计入毛利。',
  'empty.title': '没有用量',
  'empty.text': '开始统计成本以来，此期间没有用量。',
};

const useMarginTexts = defineTexts('admin-margin', en, zh);

const UsageChart = lazy(fileLoader(() => import('../usage/usage-chart')));

const GROUPS = ['day', 'model', 'upstream', 'account'] as const;
type Group = (typeof GROUPS)[number];

/** What is left of the price of calls when their upstreams are paid. */
export function MarginPage() {
  const t = useMarginTexts();
  const api = useConsoleApi();
  const today = dayOf(new Date(), 'UTC');
  const [group, setGroup] = useState<Group>('day');
  const [order, setOrder] = useState<MarginOrder>('revenue');
  const [first, setFirst] = useState(`${today.slice(0, 7)}-01`);
  const [last, setLast] = useState(today);
  const params = { query: { from: first, to: addDays(last, 1), group_by: group } };
  const query = useQuery({
    queryKey: ['admin-margin', params.query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/reports/margin', { signal, params })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName={`margin-by-${group}-${first}-${last}.csv`}
          read={() => api.GET('/api/admin/reports/margin', { params, ...AS_CSV })}
        />
      }
    >
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <DayField label={t('from')} value={first} onChange={(day) => day && setFirst(day)} />
        <DayField label={t('to')} value={last} onChange={(day) => day && setLast(day)} />
        <Choice
          label={t('group')}
          value={group}
          options={GROUPS.map((value) => ({ value, label: t(`by.${value}`) }))}
          onChoose={setGroup}
        />
        {group !== 'day' && (
          <Choice
            label={t('sort')}
            value={order}
            options={MARGIN_ORDERS.map((value) => ({ value, label: t(`sort.${value}`) }))}
            onChoose={setOrder}
          />
        )}
      </Paper>
      <QueryState
        query={query}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {(report) => (
          <Stack gap="sm">
            {group === 'day' && <MarginChart report={report} />}
            <MarginTable
              group={group}
              report={group === 'day' ? report : { ...report, rows: sortedRows(report.rows, order) }}
            />
            <Text c="dimmed" size="sm">
              {t('note')}
            </Text>
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

/** The revenue of each day, by what becomes of it. */
function MarginChart({ report: { rows, currency } }: { report: MarginReport }) {
  const t = useMarginTexts();
  const { language } = useLanguage();
  return (
    <Paper withBorder p="lg" component="section" mih={320}>
      <Suspense fallback={<Skeleton height={280} aria-label={t('chart')} />}>
        <UsageChart
          series={MARGIN_SERIES}
          points={marginPoints(rows)}
          currency={currency}
          label={t('chart')}
          nameOf={({ name }) => t(`chart.${name as 'cost' | 'margin' | 'uncosted'}`)}
          bucketName={(day, short) => formatDay(day, language, short)}
        />
      </Suspense>
    </Paper>
  );
}

function MarginTable({ group, report: { rows, total, currency } }: { group: Group; report: MarginReport }) {
  const t = useMarginTexts();
  const { language } = useLanguage();
  const emails = useAccountEmails(group === 'account' ? rows.map(({ key }) => key) : []);
  const amount = (value: Figure | null) =>
    value === null ? '–' : <Amount value={value} currency={currency} />;
  const share = (value: Figure | null) => (value === null ? '–' : `${value.toString()}%`);
  const number = (
    key: string,
    title: string,
    show: (figures: MarginReport['total']) => ReactNode,
    place: 'figure' | 'more' = 'more',
  ): Column<MarginRow> => ({ key, title, isNumber: true, place, cell: show, footer: show(total) });
  const columns: Column<MarginRow>[] = [
    {
      key: 'key',
      title: t(`by.${group}`),
      place: 'title',
      cell: ({ key }) => {
        if (group === 'account') return <AccountLink id={key} emails={emails} />;
        return group === 'day' ? formatDay(key, language) : <span translate="no">{key}</span>;
      },
      footer: t('total'),
    },
    number('calls', t('calls'), ({ calls }) => <Quantity value={calls} />),
    number('uncosted', t('uncosted'), (figures) => <Quantity value={figures.calls_without_cost} />),
    number('revenue', t('revenue'), ({ revenue }) => amount(revenue)),
    number('cost', t('cost'), ({ cost }) => amount(cost)),
    number('margin', t('margin'), ({ margin }) => amount(margin), 'figure'),
    number('share', t('share'), (figures) => share(figures.margin_percent)),
  ];
  return <DataTable label={t('title')} columns={columns} rows={rows} keyOf={({ key }) => key} />;
}
