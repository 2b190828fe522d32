import { ActionIcon, Anchor, Badge, FileButton, Group, Stack, Text, Tooltip } from '@mantine/core';
import { FileUp, Trash2 } from 'lucide-react';
import { type Column, DataTable } from '../../../components/data-table';
import { Bytes, Quantity } from '../../../figures/figure-text';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language-context';
import { Time } from '../../../time/time';
import { useWorkspaceTexts } from '../workspace-texts';
import { type MemoDocument, percentOf } from './document-queries';
import classes from './documents.module.css';

const COLORS = { queued: 'gray', processing: 'blue', ready: 'green', failed: 'red' } as const;

/** Whether questions are answered from the document; if not, how far it is read, or why it cannot be. */
function DocumentStatus({ document }: { document: MemoDocument }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const { status, progress, error, version, serving_version: serving } = document;
  const percent = progress && percentOf(progress);
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={COLORS[status]} tt="none">
        {t(`status.${status}`)}
        {status === 'processing' && percent !== null && ` ${percent} %`}
      </Badge>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" className={classes.reason}>
          {t(`failure.${error.code}`)}
        </Text>
      )}
      {serving && !serving.equals(version) && (
        <Text size="sm" c="dimmed">
          {t('version.inUse', { version: formatNumber(serving, language) })}
        </Text>
      )}
    </Stack>
  );
}

interface Props {
  documents: MemoDocument[];
  mayEdit: boolean;
  onRead: (document: MemoDocument) => void;
  onReplace: (document: MemoDocument, file: File) => void;
  onDelete: (document: MemoDocument) => void;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

export function DocumentTable(props: Props) {
  const { documents, mayEdit, onRead, onMore, isLoadingMore } = props;
  const t = useWorkspaceTexts();
  const columns: Column<MemoDocument>[] = [
    {
      key: 'title',
      title: t('column.title'),
      cell: (document) =>
        document.serving_version ? (
          <Anchor
            component="button"
            type="button"
            className={classes.title!}
            title={document.title}
            onClick={() => onRead(document)}
          >
            {document.title}
          </Anchor>
        ) : (
          <Text span inherit className={classes.title!} title={document.title}>
            {document.title}
          </Text>
        ),
    },
    {
      key: 'status',
      title: t('column.status'),
      cell: (document) => <DocumentStatus document={document} />,
    },
    {
      key: 'version',
      title: t('column.version'),
      isNumber: true,
      cell: ({ version }) => <Quantity value={version} />,
    },
    {
      key: 'bytes',
      title: t('column.size'),
      isNumber: true,
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
    { key: 'updated', title: t('column.updated'), cell: ({ updated_at: at }) => <Time value={at} /> },
  ];
  if (mayEdit)
    columns.push({
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (document) => <DocumentActions document={document} {...props} />,
    });
  return (
    <DataTable
      label={t('documents')}
      columns={columns}
      rows={documents}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

function DocumentActions({
  document,
  onReplace,
  onDelete,
}: Pick<Props, 'onReplace' | 'onDelete'> & { document: MemoDocument }) {
  const t = useWorkspaceTexts();
  const { title } = document;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <FileButton onChange={(file) => file && onReplace(document, file)}>
        {({ onClick }) => (
          <Tooltip label={t('document.replace')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('document.replace.named', { title })}
              onClick={onClick}
            >
              <FileUp size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </FileButton>
      <Tooltip label={t('delete')}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('document.delete.named', { title })}
          onClick={() => onDelete(document)}
        >
          <Trash2 size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
