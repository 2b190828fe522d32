import { Badge, Button, Code, Group } from '@mantine/core';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Bytes } from '../../../figures/bytes';
import { Time } from '../../../time/time';
import { type ModelPackage } from '../package-queries';
import { useAdminPackagesTexts } from '../texts/admin-packages-texts';

export type PackageAction = 'publish' | 'withdraw' | 'delete';

const COLORS = { uploading: 'gray', stored: 'blue', published: 'teal' } as const;
const DIGEST_CHARS = 12;

interface Props {
  packages: ModelPackage[];
  onAct: (action: PackageAction, one: ModelPackage) => void;
}

export function PackageTable({ packages, onAct }: Props) {
  const t = useAdminPackagesTexts();
  const button = (action: PackageAction, one: ModelPackage) => (
    <Button
      size="compact-sm"
      variant={action === 'publish' ? 'light' : 'default'}
      aria-label={t(`${action}.named`, { version: one.version })}
      onClick={() => onAct(action, one)}
    >
      {t(action)}
    </Button>
  );
  const columns: Column<ModelPackage>[] = [
    { key: 'version', title: t('version'), cell: ({ version }) => version },
    {
      key: 'status',
      title: t('column.status'),
      cell: ({ status }) => (
        <Badge miw="max-content" variant="light" color={COLORS[status]} tt="none">
          {t(`status.${status}`)}
        </Badge>
      ),
    },
    { key: 'file', title: t('file'), cell: ({ file_name: name }) => <Code>{name}</Code> },
    { key: 'size', title: t('column.size'), isNumber: true, cell: ({ size }) => <Bytes value={size} /> },
    {
      key: 'sha256',
      title: 'SHA-256',
      cell: ({ sha256 }) => (sha256 ? <Code title={sha256}>{sha256.slice(0, DIGEST_CHARS)}…</Code> : '–'),
    },
    {
      key: 'created',
      title: t('column.uploaded'),
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (one) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {one.status === 'stored' && button('publish', one)}
          {one.status === 'published' ? button('withdraw', one) : button('delete', one)}
        </Group>
      ),
    },
  ];
  return (
    <DataTable label={t('packages')} columns={columns} rows={packages} keyOf={({ version }) => version} />
  );
}
