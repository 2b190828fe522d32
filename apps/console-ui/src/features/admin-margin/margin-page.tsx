import { Paper, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { bodyOf, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount, Quantity } from '../../figures/figure-text';
import { addDays, dayOf } from '../../time/calendar-day';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { useMarginTexts } from './margin-texts';

type Report = Schemas['MarginReportResponse'];
type Row = Report['rows'][number];

const GROUPS = ['day', 'model', 'upstream', 'account'] as const;
type Group = (typeof GROUPS)[number];

/** What is left of the price of calls when their upstreams are paid. */
export function MarginPage() {
  const t = useMarginTexts();
  const api = useConsoleApi();
  const today = dayOf(new Date(), 'UTC');
  const [group, setGroup] = useState<Group>('day');
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
      </Paper>
      <QueryState
        query={query}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {(report) => (
          <Stack gap="sm">
            <MarginTable group={group} report={report} />
            <Text c="dimmed" size="sm">
              {t('note')}
            </Text>
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function MarginTable({ group, report: { rows, total, currency } }: { group: Group; report: Report }) {
  const t = useMarginTexts();
  const emails = useAccountEmails(group === 'account' ? rows.map(({ key }) => key) : []);
  const amount = (value: Figure | null) =>
    value === null ? '–' : <Amount value={value} currency={currency} />;
  const share = (value: Figure | null) => (value === null ? '–' : value.toString());
  const number = (
    key: string,
    title: string,
    show: (figures: Report['total']) => ReactNode,
  ): Column<Row> => ({ key, title, isNumber: true, cell: show, footer: show(total) });
  const columns: Column<Row>[] = [
    {
      key: 'key',
      title: t(`by.${group}`),
      place: 'title',
      cell: ({ key }) =>
        group === 'account' ? <AccountLink id={key} emails={emails} /> : <span translate="no">{key}</span>,
      footer: t('total'),
    },
    number('calls', t('calls'), ({ calls }) => <Quantity value={calls} />),
    number('uncosted', t('uncosted'), (figures) => <Quantity value={figures.calls_without_cost} />),
    number('revenue', t('revenue'), ({ revenue }) => amount(revenue)),
    number('cost', t('cost'), ({ cost }) => amount(cost)),
    number('margin', t('margin'), ({ margin }) => amount(margin)),
    number('share', t('share'), (figures) => share(figures.margin_percent)),
  ];
  return <DataTable label={t('title')} columns={columns} rows={rows} keyOf={({ key }) => key} />;
}
