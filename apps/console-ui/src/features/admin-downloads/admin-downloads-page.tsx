import { Group, Paper, Skeleton, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { downloadsQuery, type Downloads } from './download-queries';
import { DownloadTables } from './download-tables';
import { useAdminDownloadsTexts } from './texts/admin-downloads-texts';

const DownloadChart = lazy(() => import('./download-chart'));
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
        <TextInput
          type="date"
          label={t('from')}
          value={days.from}
          max={days.to}
          onChange={({ currentTarget: { value } }) => setDays({ ...days, from: value })}
          error={days.from > days.to ? t('from.late') : null}
        />
        <TextInput
          type="date"
          label={t('to')}
          value={days.to}
          max={today()}
          onChange={({ currentTarget: { value } }) => setDays({ ...days, to: value })}
        />
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
