import { Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { fileLoader } from '../../components/lazy-file';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { useAdminDownloadsTexts } from './admin-downloads-texts';
import {
  type Downloads,
  downloadsQuery,
  type LookupRow,
  lookupRows,
  type ModelRow,
  modelRows,
} from './download-queries';

const DownloadChart = lazy(fileLoader(() => import('./download-chart')));
const CHART_PIXELS = 200;

const today = () => new Date().toISOString().slice(0, 10);

export function AdminDownloadsPage() {
  const t = useAdminDownloadsTexts();
  const [days, setDays] = useState(() => ({ from: `${today().slice(0, 7)}-01`, to: today() }));
  const query = useQuery({
    ...downloadsQuery(useConsoleApi(), days),
    enabled: days.from !== '' && days.to !== '' && days.from <= days.to,
  });
  return (
    <Page title={t('title')} description={t('description')}>
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
