import { ActionIcon, Button, Group, Paper, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.layer.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { FileUp, X } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { toApiError } from '../../../api/api-error';
import { useMemoApi } from '../../../api/service-apis';
import { EmptyState } from '../../../components/empty-state';
import { useErrorMessage } from '../../../components/error-notice';
import { QueryState } from '../../../components/query-state';
import { ActionDialog } from '../dialogs';
import { useWorkspace } from '../workspace-context';
import { hasRole } from '../workspace-queries';
import { useWorkspaceTexts } from '../workspace-texts';
import { documentsQuery, type MemoDocument, useDeleteDocument } from './document-queries';
import { DocumentTable } from './document-table';
import classes from './documents.module.css';
import { PassageDialog } from './passage-dialog';
import { type Upload } from './upload-queue';

/** The documents of a workspace, and uploads. */
export function DocumentsPart() {
  const t = useWorkspaceTexts();
  const { workspace, uploads } = useWorkspace();
  const query = useInfiniteQuery(documentsQuery(useMemoApi(), workspace.id));
  const deleteDocument = useDeleteDocument(workspace.id);
  const [opened, setOpened] = useState<MemoDocument>();
  const [deleted, setDeleted] = useState<MemoDocument>();
  const mayEdit = hasRole(workspace.role, 'editor');
  return (
    <Stack gap="md">
      {mayEdit && <UploadArea />}
      <UploadList />
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.documents.length === 0}
        empty={
          <EmptyState title={t('documents.empty')}>
            {t(mayEdit ? 'documents.empty.text' : 'documents.empty.viewer')}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <DocumentTable
            documents={pages.flatMap(({ documents }) => documents)}
            mayEdit={mayEdit}
            onRead={setOpened}
            onReplace={({ id }, file) => uploads.add([file], id)}
            onDelete={setDeleted}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {opened && (
        <PassageDialog
          workspaceId={workspace.id}
          source={{ documentId: opened.id, title: opened.title }}
          onClose={() => setOpened(undefined)}
        />
      )}
      {deleted && (
        <ActionDialog
          title={t('document.delete.title', { title: deleted.title })}
          text={t('document.delete.text')}
          confirmText={t('delete')}
          action={() => deleteDocument(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}

/** Takes files that are dropped on it, or chosen after a click. The service says which of them it cannot read. */
function UploadArea() {
  const t = useWorkspaceTexts();
  const { uploads } = useWorkspace();
  return (
    <Dropzone
      onDrop={(files) => uploads.add(files)}
      role="button"
      aria-label={t('upload.choose')}
      // A control inside of a button would not be read out.
      inputProps={{ 'aria-label': t('upload.choose'), style: { display: 'none' } }}
      className={classes.dropzone!}
    >
      <div className={classes.dropText}>
        <FileUp size={28} aria-hidden />
        <Text size="md" fw={500}>
          {t('upload.drop')}
        </Text>
        <Text size="sm" c="dimmed">
          {t('upload.formats')}
        </Text>
      </div>
    </Dropzone>
  );
}

/** The files that are on their way, and those that could not be sent. */
function UploadList() {
  const t = useWorkspaceTexts();
  const { uploads: queue } = useWorkspace();
  const uploads = useSyncExternalStore(queue.subscribe, queue.getUploads);
  if (uploads.length === 0) return null;
  return (
    <Stack component="section" gap="xs" aria-label={t('uploads')}>
      {uploads.map((upload) => (
        <UploadRow
          key={upload.id}
          upload={upload}
          onCancel={() => queue.cancel(upload.id)}
          onRetry={() => queue.retry(upload.id)}
        />
      ))}
    </Stack>
  );
}

interface Props {
  upload: Upload;
  onCancel: () => void;
  onRetry: () => void;
}

function UploadRow({ upload, onCancel, onRetry }: Props) {
  const t = useWorkspaceTexts();
  const { file, state, sentBytes, error } = upload;
  const percent = Math.min(100, Math.floor((sentBytes / Math.max(file.size, 1)) * 100));
  const isSent = percent === 100;
  const cancelLabel = t(state === 'failed' ? 'upload.remove' : 'upload.cancel', { name: file.name });
  return (
    <Paper withBorder px="md" py="xs">
      <Group wrap="nowrap" gap="sm">
        <Stack gap={4} className={classes.upload}>
          <Text size="md" className={classes.fileName}>
            {file.name}
          </Text>
          {state === 'failed' ? (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              <UploadError error={error} />
            </Text>
          ) : (
            <Group wrap="nowrap" gap="sm">
              <Progress
                value={percent}
                animated={isSent}
                aria-label={t('upload.progress', { name: file.name })}
                className={classes.progress}
              />
              <Text size="sm" c="dimmed" className="figure">
                {state === 'waiting' ? t('upload.waiting') : isSent ? t('upload.sent') : `${percent} %`}
              </Text>
            </Group>
          )}
        </Stack>
        {state === 'failed' && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('upload.retry')}
          </Button>
        )}
        <Tooltip label={cancelLabel}>
          <ActionIcon variant="subtle" color="gray" aria-label={cancelLabel} onClick={onCancel}>
            <X size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Paper>
  );
}

function UploadError({ error }: { error: unknown }) {
  const t = useWorkspaceTexts();
  const messageOf = useErrorMessage();
  const apiError = toApiError(error);
  switch (apiError.status) {
    case 409:
      return t('upload.full');
    case 413:
      return t('upload.tooLarge');
    case 415:
      return t('upload.unsupported');
    default:
      return messageOf(apiError);
  }
}
