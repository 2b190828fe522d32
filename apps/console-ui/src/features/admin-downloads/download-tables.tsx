import { Code, Stack, Text, Title } from '@mantine/core';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Quantity } from '../../figures/quantity';
import { type Downloads } from './download-queries';
import { type LookupRow, lookupRows, type ModelRow, modelRows } from './download-rows';
import { useAdminDownloadsTexts } from './texts/admin-downloads-texts';

export function DownloadTables({ downloads }: { downloads: Downloads }) {
  const t = useAdminDownloadsTexts();
  const countColumn = <Row extends object>(
    key: string,
    title: string,
    valueOf: (row: Row) => ModelRow['links'],
  ): Column<Row> => ({ key, title, isNumber: true, cell: (row) => <Quantity value={valueOf(row)} /> });
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
