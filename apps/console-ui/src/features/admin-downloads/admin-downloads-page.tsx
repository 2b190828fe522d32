import { Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { fileLoader } from '../../components/lazy-file';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import {
  type Downloads,
  downloadsQuery,
  type LookupRow,
  lookupRows,
  type ModelRow,
  modelRows,
} from './download-queries';

const en = {
  title: 'Download statistics',
  description: 'Downloads of model packages, and lookups of releases. Days are in UTC.',
  from: 'First day',
  'from.late': 'Choose a day that is not after the last day.',
  to: 'Last day',
  'empty.title': 'No downloads in this period',
  'empty.text': 'Choose another period, or publish a model for download.',
  models: 'Models',
  chart: 'Downloads of the most popular models',
  releases: 'Releases',
  all: 'All',
  'column.model': 'Model',
  'column.version': 'Version',
  'column.downloads': 'Downloads',
  'column.accounts': 'Accounts',
  'column.links': 'Links',
  'column.component': 'Component',
  'column.release': 'Release',
  'column.lookups': 'Lookups',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '下载统计',
  description: '模型包的下载次数和版本的查询次数。日期按 UTC 计算。',
  from: '开始日期',
  'from.late': '开始日期不能晚于结束日期。',
  to: '结束日期',
  'empty.title': '该时间段内没有数据',
  'empty.text': '请选择其他日期，或发布可供客户下载的模型。',
  models: '模型',
  chart: '下载最多的模型及其下载次数',
  releases: '版本',
  all: '全部',
  'column.model': '模型',
  'column.version': '版本',
  'column.downloads': '下载次数',
  'column.accounts': '账户数',
  'column.links': '链接数',
  'column.component': '组件',
  'column.release': '版本',
  'column.lookups': '查询次数',
};

const useAdminDownloadsTexts = defineTexts('admin-downloads', en, zh);

const DownloadChart = lazy(fileLoader(() => import('./download-chart')));
const CHART_PIXELS = 200;

const today = () => new Date().toISOString().slice(0, 10);

export function AdminDownloadsPage() {
  const t = useAdminDownloadsTexts();
  const [days, setDays] = useState(() => ({ from: `${today().slice(0, 7)}-01`, to: today() }));
  const api = useConsoleApi();
  const query = useQuery({
    ...downloadsQuery(api, days),
    enabled: days.from !== '' && days.to !== '' && days.from <= days.to,
  });
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName={`downloads-${days.from}-${days.to}.csv`}
          read={() => api.GET('/api/admin/downloads', { ...AS_CSV, params: { query: days } })}
        />
      }
    >
      <Group align="flex-end">
        <DayField
          label={t('from')}
          value={days.from}
          onChange={(from) => from && setDays({ ...days, from })}
          error={days.from > days.to ? t('from.late') : null}
        />
        <DayField label={t('to')} value={days.to} onChange={(to) => to && setDays({ ...days, to })} />
      </Group>
      <QueryState
        query={query}
        isEmpty={({ models, components }) => models.length + components.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {(downloads) => <Figures downloads={downloads} />}
      </QueryState>
    </Page>
  );
}

function Figures({ downloads }: { downloads: Downloads }) {
  const t = useAdminDownloadsTexts();
  return (
    <Stack gap="xl">
      {downloads.models.length > 0 && (
        <Stack component="section" gap="sm">
          <Title order={2}>{t('models')}</Title>
          <Paper withBorder p="md">
            <Suspense fallback={<Skeleton height={CHART_PIXELS} />}>
              <DownloadChart models={downloads.models} label={t('chart')} name={t('column.downloads')} />
            </Suspense>
          </Paper>
        </Stack>
      )}
      <DownloadTables downloads={downloads} />
    </Stack>
  );
}

function DownloadTables({ downloads }: { downloads: Downloads }) {
  const t = useAdminDownloadsTexts();
  const countColumn = <Row extends object>(
    key: string,
    title: string,
    valueOf: (row: Row) => ModelRow['links'],
  ): Column<Row> => ({
    key,
    title,
    isNumber: true,
    place: 'line',
    cell: (row) => <Quantity value={valueOf(row)} />,
  });
  const modelColumns: Column<ModelRow>[] = [
    { key: 'slug', title: t('column.model'), cell: ({ slug }) => <span translate="no">{slug}</span> },
    { key: 'version', title: t('column.version'), cell: ({ version }) => version ?? <All /> },
    countColumn('downloads', t('column.downloads'), (row) => row.downloads),
    countColumn('accounts', t('column.accounts'), (row) => row.accounts),
    countColumn('links', t('column.links'), (row) => row.links),
  ];
  const lookupColumns: Column<LookupRow>[] = [
    { key: 'component', title: t('column.component'), cell: ({ component }) => <Code>{component}</Code> },
    { key: 'tag', title: t('column.release'), cell: ({ tag }) => tag ?? <All /> },
    countColumn('lookups', t('column.lookups'), (row) => row.lookups),
  ];
  return (
    <>
      {downloads.models.length > 0 && (
        <DataTable
          label={t('models')}
          columns={modelColumns}
          rows={modelRows(downloads)}
          keyOf={({ slug, version = '' }) => `${slug} ${version}`}
        />
      )}
      {downloads.components.length > 0 && (
        <Stack component="section" gap="sm">
          <Title order={2}>{t('releases')}</Title>
          <DataTable
            label={t('releases')}
            columns={lookupColumns}
            rows={lookupRows(downloads)}
            keyOf={({ component, tag = '' }) => `${component} ${tag}`}
          />
        </Stack>
      )}
    </>
  );
}

function All() {
  const t = useAdminDownloadsTexts();
  return (
    <Text span inherit c="dimmed">
      {t('all')}
    </Text>
  );
}
