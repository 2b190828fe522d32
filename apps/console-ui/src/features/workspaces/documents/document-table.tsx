import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  Checkbox,
  FileButton,
  Group,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import { FileUp, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode } from 'react';
import { type Column, DataTable } from '../../../components/data-table';
import { MiddleCut } from '../../../components/middle-cut';
import { Bytes, Quantity } from '../../../figures/figure-text';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import { Time } from '../../../time/time';
import { useWorkspaceTexts } from '../workspace-texts';
import { type MemoDocument, percentOf } from './document-queries';
import classes from './documents.module.css';

const COLORS = { queued: 'gray', processing: 'blue', ready: 'green', failed: 'red' } as const;

/** Whether questions are answered from the document; if not, how far it is read, or why it cannot be. */
function DocumentStatus({ document, children }: { document: MemoDocument; children?: ReactNode }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const { status, progress, error, version, serving_version: serving } = document;
  const percent = progress && percentOf(progress);
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={COLORS[status]} tt="none">
        {t(`status.${status}`)}
        {status === 'processing' && percent !== null && ` ${percent}%`}
      </Badge>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" className={classes.reason}>
          {t(`failure.${error.code}`)}
        </Text>
      )}
      {children}
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
  /** The files that may replace a document: `.txt,.pdf`. */
  accept: string;
  selected: ReadonlySet<string>;
  onSelect: (document: MemoDocument, isSelected: boolean) => void;
  /** The document that is being queued again. */
  retried: string | undefined;
  onRetry: (document: MemoDocument) => void;
  onReplace: (document: MemoDocument, file: File) => void;
  onDelete: (document: MemoDocument) => void;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

export function DocumentTable(props: Props) {
  const { documents, mayEdit, selected, onSelect, retried, onRetry, onRead, onMore, isLoadingMore } = props;
  const t = useWorkspaceTexts();
  const selection: Column<MemoDocument> = {
    key: 'select',
    title: t('documents.selectAll'),
    isTitleHidden: true,
    cell: (document) => (
      <Checkbox
        aria-label={t('document.select', { title: document.title })}
        checked={selected.has(document.id)}
        onChange={(event) => onSelect(document, event.currentTarget.checked)}
      />
    ),
  };
  const columns: Column<MemoDocument>[] = [
    ...(mayEdit ? [selection] : []),
    {
      key: 'title',
      title: t('column.title'),
      cell: (document) =>
        document.serving_version ? (
          <Anchor
            component="button"
            type="button"
            className={classes.title!}
            onClick={() => onRead(document)}
          >
            <MiddleCut text={document.title} />
          </Anchor>
        ) : (
          <Text span inherit className={classes.title!}>
            <MiddleCut text={document.title} />
          </Text>
        ),
    },
    {
      key: 'status',
      title: t('column.status'),
      place: 'status',
      cell: (document) => (
        <DocumentStatus document={document}>
          {mayEdit && document.status === 'failed' && (
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<RotateCw size={12} />}
              aria-label={t('document.retry.named', { title: document.title })}
              loading={retried === document.id}
              onClick={() => onRetry(document)}
            >
              {t('document.retry')}
            </Button>
          )}
        </DocumentStatus>
      ),
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
  accept,
  onReplace,
  onDelete,
}: Pick<Props, 'accept' | 'onReplace' | 'onDelete'> & { document: MemoDocument }) {
  const t = useWorkspaceTexts();
  const { title } = document;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <FileButton accept={accept} onChange={(file) => file && onReplace(document, file)}>
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
