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
import { useMarginTexts } from './margin-texts';

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
