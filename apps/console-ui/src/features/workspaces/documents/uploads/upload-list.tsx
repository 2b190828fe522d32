import { ActionIcon, Button, Group, Paper, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { toApiError } from '../../../../api/api-error';
import { useErrorMessage } from '../../../../components/errors/use-error-message';
import { useWorkspaceTexts } from '../../texts/workspace-texts';
import { useWorkspace } from '../../workspace-context';
import classes from '../documents.module.css';
import { type Upload } from './upload-queue';

/** The files that are on their way, and those that could not be sent. */
export function UploadList() {
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
