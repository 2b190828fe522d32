import { Anchor, Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Bytes } from '../../figures/bytes';
import { platformName, platformOf } from './assets/platform';
import { type Asset, type Release } from './release-queries';
import { useDownloadsTexts } from './texts/downloads-texts';

/** All files of a release, also those for other platforms. */
export function ReleaseFiles({ title, release: { assets } }: { title: string; release: Release }) {
  const t = useDownloadsTexts();
  const [isOpen, { toggle }] = useDisclosure();
  const columns: Column<Asset>[] = [
    {
      key: 'name',
      title: t('column.file'),
      cell: ({ name, url }) => (
        <Anchor href={url} rel="noreferrer" inherit>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'platform',
      title: t('column.platform'),
      cell: ({ name }) => {
        const platform = platformOf(name);
        return platform ? platformName(platform) : '–';
      },
    },
    { key: 'size', title: t('column.size'), isNumber: true, cell: ({ size }) => <Bytes value={size} /> },
  ];
  return (
    <Stack gap="sm" align="stretch">
      <div>
        <Button
          variant="subtle"
          size="xs"
          onClick={toggle}
          aria-expanded={isOpen}
          rightSection={isOpen ? <ChevronUp size={14} /> : <ChevronDown size={14} />}
        >
          {t('files', { count: assets.length })}
        </Button>
      </div>
      <Collapse expanded={isOpen}>
        <DataTable
          label={t('files.of', { component: title })}
          columns={columns}
          rows={assets}
          keyOf={({ name }) => name}
        />
      </Collapse>
    </Stack>
  );
}
