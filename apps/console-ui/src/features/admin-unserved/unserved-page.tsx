import { Code, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { bodyOf, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { addDays, dayOf, formatDay } from '../../time/calendar-day';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { withoutGaps } from '../usage/usage-search';

const en = {
  title: 'Refused and failed calls',
  description: 'Of all accounts, in days of UTC. Such calls are kept for 30 days, and cost nothing.',
  from: 'First day',
  to: 'Last day',
  group: 'Show by',
  'by.day': 'Day',
  'by.status': 'Status',
  'by.error_code': 'Error code',
  'by.model': 'Model',
  'by.upstream': 'Upstream',
  all: 'All',
  refused: 'Refused',
  failed: 'Failed',
  total: 'Total',
  calls: 'Calls',
  accounts: 'Accounts',
  sampled:
    'Recorded calls are counted. Each process of a gateway records 600 calls of an account a minute and every hundredth beyond, and 3,000 of all accounts: in an attack there were more.',
  left: '{{calls}} more calls are in further groups. Choose fewer groups, or filter.',
  'empty.title': 'No such calls',
  'empty.text': 'No call that matches was refused or failed on these days.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '被拒与失败的调用',
  description: '全部账户的调用，按 UTC 日期统计。此类调用保留 30 天，不收费。',
  from: '开始日期',
  to: '结束日期',
  group: '分组',
  'by.day': '日期',
  'by.status': '状态',
  'by.error_code': '错误代码',
  'by.model': '模型',
  'by.upstream': '上游',
  all: '全部',
  refused: '被拒',
  failed: '失败',
  total: '合计',
  calls: '调用次数',
  accounts: '账户数',
  sampled:
    '统计的是已记录的调用。每个网关进程每分钟为一个账户记录 600 次，超出部分每 100 次记录一次；全部账户合计最多 3,000 次。受到攻击时，实际次数更多。',
  left: '另有 {{calls}} 次调用属于其他分组。请减少分组，或使用筛选。',
  'empty.title': '没有此类调用',
  'empty.text': '这些日期没有符合条件的被拒或失败的调用。',
};

const useUnservedTexts = defineTexts('admin-unserved', en, zh);

type Report = Schemas['UnservedReportResponse'];
type Row = Report['rows'][number];

const GROUPS = ['day', 'status', 'error_code', 'model', 'upstream'] as const;
type Group = (typeof GROUPS)[number];
const STATUSES = ['', 'refused', 'failed'] as const;
const NAMES = ['error_code', 'model', 'upstream'] as const;
const SHOWN_DAYS = 7;

/** What was refused or has failed on the whole site, for its staff. */
export function UnservedPage() {
  const t = useUnservedTexts();
  const api = useConsoleApi();
  const today = dayOf(new Date(), 'UTC');
  const [first, setFirst] = useState(addDays(today, 1 - SHOWN_DAYS));
  const [last, setLast] = useState(today);
  const [groups, setGroups] = useState<Group[]>(['status', 'error_code']);
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('');
  const [names, setNames] = useState<Partial<Record<(typeof NAMES)[number], string>>>({});
  const params = {
    query: {
      ...{ from: first, to: addDays(last, 1), group_by: groups.join(',') },
      ...withoutGaps({ ...names, status: status || undefined }),
    },
  };
  const query = useQuery({
    queryKey: ['admin-unserved', params.query],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/reports/unserved-calls', { signal, params })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName={`refused-and-failed-calls-${first}-${last}.csv`}
          read={() => api.GET('/api/admin/reports/unserved-calls', { params, ...AS_CSV })}
        />
      }
    >
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <DayField label={t('from')} value={first} onChange={(day) => day && setFirst(day)} />
        <DayField label={t('to')} value={last} onChange={(day) => day && setLast(day)} />
        <Choice
          label={t('by.status')}
          value={status}
          options={STATUSES.map((value) => ({ value, label: t(value || 'all') }))}
          onChoose={setStatus}
        />
        {NAMES.map((name) => (
          <NameField
            key={name}
            label={t(`by.${name}`)}
            onChange={(text) => setNames({ ...names, [name]: text || undefined })}
          />
        ))}
        <MultiSelect
          className={classes.wide!}
          label={t('group')}
          data={GROUPS.map((value) => ({ value, label: t(`by.${value}`) }))}
          value={groups}
          onChange={(chosen) => setGroups(GROUPS.filter((group) => chosen.includes(group)))}
          searchable
        />
      </Paper>
      <QueryState
        query={query}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {(report) => <UnservedTable report={report} groups={groups} />}
      </QueryState>
      <Text c="dimmed" size="sm">
        {t('sampled')}
      </Text>
    </Page>
  );
}

/** A name that limits the calls when it is typed to its end. */
function NameField({ label, onChange }: { label: string; onChange: (text: string) => void }) {
  const apply = ({ currentTarget: { value } }: SyntheticEvent<HTMLInputElement>) => onChange(value.trim());
  return (
    <TextInput
      label={label}
      spellCheck={false}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply(event)}
    />
  );
}

function UnservedTable({ report, groups }: { report: Report; groups: Group[] }) {
  const t = useUnservedTexts();
  const { language } = useLanguage();
  const shown = GROUPS.filter((group) => groups.includes(group));
  const keyCell = (row: Row, group: Group) => {
    const value = row[group];
    if (value === null || value === undefined) return '–';
    if (group === 'status') return t(value as 'refused' | 'failed');
    return group === 'day' ? formatDay(value, language) : <Code>{value}</Code>;
  };
  const columns: Column<Row>[] = [
    ...shown.map((group, index): Column<Row> => ({
      key: group,
      title: t(`by.${group}`),
      ...(index === 0 ? { place: 'title', footer: t('total') } : { place: 'line' }),
      cell: (row) => keyCell(row, group),
    })),
    {
      key: 'calls',
      title: t('calls'),
      isNumber: true,
      place: 'figure',
      cell: ({ calls }) => <Quantity value={calls} />,
      footer: <Quantity value={report.calls} />,
    },
    {
      key: 'accounts',
      title: t('accounts'),
      isNumber: true,
      place: 'more',
      cell: ({ accounts }) => <Quantity value={accounts} />,
    },
  ];
  return (
    <Stack gap="sm">
      <DataTable
        label={t('title')}
        columns={columns}
        rows={report.rows}
        keyOf={(row) => JSON.stringify(GROUPS.map((group) => row[group]))}
      />
      {!report.left_out_calls.isZero && <Text>{t('left', { calls: report.left_out_calls.toString() })}</Text>}
    </Stack>
  );
}
