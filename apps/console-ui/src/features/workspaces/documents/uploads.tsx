import { ActionIcon, Button, Group, Paper, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.layer.css';
import { FileUp, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { ApiError, toApiError } from '../../../api/api-error';
import { SupportFacts, useErrorMessage } from '../../../components/error-notice';
import { formatBytes } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import { useWorkspace } from '../workspace-context';
import { type WorkspaceOptions } from '../workspace-queries';
import { useWorkspaceTexts } from '../workspace-texts';
import classes from './documents.module.css';
import { type Upload } from './upload-queue';

/** The service says what it takes; undefined until it has. */
type Options = WorkspaceOptions | undefined;

/** The ends of file names that are offered to choose from: `.txt,.pdf`. */
export const acceptedNames = (options: Options): string =>
  (options?.formats ?? [])
    .flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`))
    .join(',');

export const isTooLarge = (file: File, options: Options): boolean =>
  options !== undefined && file.size > options.max_document_bytes.toScreenNumber();

/** As the service would refuse the file. */
export const tooLarge = () => new ApiError({ status: 413, detail: 'The file is too large.' });
const unsupported = () => new ApiError({ status: 415, detail: 'The file has another format.' });

/** Takes files that are dropped on it, or chosen after a click. What the service would refuse is not sent to it. */
export function UploadArea({ options }: { options: Options }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const { uploads, workspace } = useWorkspace();
  const accept =
    options &&
    Object.fromEntries(
      options.formats.map(({ media_type: type, extensions }) => [type, extensions.map((name) => `.${name}`)]),
    );
  return (
    <Dropzone
      onDrop={(files) => uploads.add(files)}
      onReject={(rejections) => {
        const isLarge = ({ file }: (typeof rejections)[number]) => isTooLarge(file, options);
        uploads.refuse(
          rejections.filter(isLarge).map(({ file }) => file),
          tooLarge(),
        );
        uploads.refuse(
          rejections.filter((each) => !isLarge(each)).map(({ file }) => file),
          unsupported(),
        );
      }}
      {...(accept && { accept, maxSize: options.max_document_bytes.toScreenNumber() })}
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
        {options && (
          <Text size="sm" c="dimmed">
            {t('upload.formats', {
              formats: options.formats.map(({ extensions }) => extensions[0]!.toUpperCase()).join(', '),
              size: formatBytes(options.max_document_bytes, language),
            })}
            {' · '}
            {t('upload.room', {
              used: formatBytes(workspace.bytes, language),
              limit: formatBytes(options.max_bytes, language),
            })}
          </Text>
        )}
      </div>
    </Dropzone>
  );
}

/** The files that are on their way, and those that could not be sent. */
export function UploadList({ options }: { options: Options }) {
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
          options={options}
          onCancel={() => queue.cancel(upload.id)}
          onRetry={() => queue.retry(upload.id)}
        />
      ))}
    </Stack>
  );
}

interface Props {
  upload: Upload;
  options: Options;
  onCancel: () => void;
  onRetry: () => void;
}

function UploadRow({ upload, options, onCancel, onRetry }: Props) {
  const t = useWorkspaceTexts();
  const { file, state, sentBytes, error, isFinal = false } = upload;
  const percent = Math.min(100, Math.floor((sentBytes / Math.max(file.size, 1)) * 100));
  const isSent = percent === 100;
  const cancelLabel = t(state === 'failed' ? 'upload.remove' : 'upload.cancel', { name: file.name });
  return (
    <Paper withBorder px="md" py="xs">
      <Group wrap="nowrap" gap="sm">
        <Stack gap={4} className={classes.upload}>
          <Text size="md" className={classes.fileName} title={file.name}>
            {file.name}
          </Text>
          {state === 'failed' ? (
            <Text component="div" size="sm" c="var(--mantine-color-error)" role="alert">
              <UploadError error={error} options={options} />
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
                {state === 'waiting' ? t('upload.waiting') : isSent ? t('upload.sent') : `${percent}%`}
              </Text>
            </Group>
          )}
        </Stack>
        {state === 'failed' && !isFinal && (
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

function UploadError({ error, options }: { error: unknown; options: Options }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const messageOf = useErrorMessage();
  const apiError = toApiError(error);
  switch (apiError.status) {
    case 409:
      return t('upload.full');
    case 413:
      return options
        ? t('upload.tooLarge.limit', { size: formatBytes(options.max_document_bytes, language) })
        : t('upload.tooLarge');
    case 415:
      return t('upload.unsupported');
    default:
      return (
        <>
          {messageOf(apiError)}
          <SupportFacts requestId={apiError.requestId} />
        </>
      );
  }
}
