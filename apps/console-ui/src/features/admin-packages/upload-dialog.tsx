import { Button, FileInput, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { runActivity } from '../../activities/activity-store';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { sendFile } from '../../api/send-file';
import { useSession } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { ErrorNotice } from '../../components/error-notice';
import { Figure } from '../../figures/figure';
import { Bytes } from '../../figures/figure-text';
import { useAdminPackagesTexts } from './admin-packages-texts';
import { refreshModels } from './package-queries';
import {
  isOfFile,
  isSentInParts,
  type PackageFile,
  type PackageUpload,
  type PartedCall,
  refreshUploads,
  sendInParts,
} from './package-uploads';

/** Why parts that have all arrived became no package. */
const FAILURES = ['digest_mismatch', 'parts_lost', 'version_conflict'] as const;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;

interface Props {
  slug: string;
  /** Goes on with this upload; the file has to be chosen again. */
  unfinished?: PackageUpload | undefined;
  onClose: () => void;
}

/** Uploads a file as a version of a model, and shows how much was sent. */
export function UploadDialog({ slug, unfinished, onClose }: Props) {
  const t = useAdminPackagesTexts();
  const { upload, failure, sentBytes, isWaiting, stop } = usePackageUpload();
  const form = useForm<{ version: string; file: File | null }>({
    initialValues: { version: unfinished?.version ?? '', file: null },
    validate: {
      version: (version) => (VERSION.test(version.trim()) ? null : t('version.invalid')),
      file: (file) => {
        if (!file || file.size === 0) return t('file.missing');
        return !unfinished || isOfFile(unfinished, file) ? null : t('file.other');
      },
    },
  });
  const submit = ({ version, file }: typeof form.values) =>
    upload.mutate(
      { slug, version: version.trim(), file: file! },
      {
        onSuccess: () => {
          notifications.show({ message: t('upload.done', { version: version.trim() }) });
          onClose();
        },
      },
    );
  const { file } = form.values;
  const code = FAILURES.find((known) => failure && toApiError(failure).code === known);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('upload')}
      closeOnClickOutside={false}
      closeOnEscape={!upload.isPending}
      withCloseButton={!upload.isPending}
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure && <ErrorNotice error={failure} {...(code && { message: t(`failed.${code}`) })} />}
          <TextInput
            label={t('version')}
            description={t('version.hint')}
            required
            {...(!unfinished && { 'data-autofocus': true })}
            disabled={upload.isPending || unfinished !== undefined}
            {...form.getInputProps('version')}
          />
          <FileInput
            label={t('file')}
            {...(unfinished && { description: t('file.again', { name: unfinished.file_name }) })}
            placeholder={t('file.choose')}
            required
            disabled={upload.isPending}
            {...form.getInputProps('file')}
          />
          {upload.isPending && file && <UploadProgress {...{ sentBytes, isWaiting }} allBytes={file.size} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={upload.isPending ? stop : onClose}>
              {upload.isPending ? t('upload.stop') : t('cancel')}
            </Button>
            <Button type="submit" loading={upload.isPending}>
              {t('upload.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface ProgressProps {
  sentBytes: number;
  allBytes: number;
  isWaiting: boolean;
}

function UploadProgress({ sentBytes, allBytes, isWaiting }: ProgressProps) {
  const t = useAdminPackagesTexts();
  const percent = Math.floor((sentBytes * 100) / allBytes);
  return (
    <Stack gap={4}>
      <Progress value={percent} aria-label={t('upload.progress')} />
      <Text size="sm" c="dimmed">
        <Bytes value={Figure.of(BigInt(Math.min(sentBytes, allBytes)))} /> /{' '}
        <Bytes value={Figure.of(BigInt(allBytes))} />
      </Text>
      {isWaiting && (
        <Text size="sm" role="status">
          {t('upload.waiting')}
        </Text>
      )}
      {!isWaiting && sentBytes >= allBytes && <Text size="sm">{t('upload.checking')}</Text>}
    </Stack>
  );
}

/** Uploads a package, which goes on when the page is left, and tells how far it is. */
function usePackageUpload() {
  const { apiUrl } = useRuntimeConfig();
  const session = useSession();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const abort = useRef(new AbortController());
  const [sentBytes, setSentBytes] = useState(0);
  const [isWaiting, setIsWaiting] = useState(false);
  const upload = useMutation({
    mutationFn: (wanted: PackageFile) => {
      const { slug, version, file } = wanted;
      abort.current = new AbortController();
      setSentBytes(0);
      return runActivity(
        { kind: 'upload', title: file.name, to: `/admin/models/${slug}` },
        async (onShare) => {
          const call: PartedCall = {
            signal: abort.current.signal,
            onProgress: (bytes) => {
              setSentBytes(bytes);
              onShare(bytes / file.size);
            },
            onWaiting: setIsWaiting,
          };
          if (isSentInParts(file)) return sendInParts({ api, apiUrl, session }, wanted, call);
          const path = `/api/admin/models/${encodeURIComponent(slug)}/packages/${encodeURIComponent(version)}`;
          const url = `${apiUrl}${path}?${new URLSearchParams({ file_name: file.name })}`;
          const headers = { 'Content-Type': 'application/octet-stream' };
          return sendFile(session, { method: 'PUT', url, body: file, headers }, call);
        },
      );
    },
    onSuccess: () => refreshModels(queryClient, api),
    onSettled: () => refreshUploads(queryClient),
  });
  return {
    upload,
    sentBytes,
    isWaiting,
    failure: abort.current.signal.aborted ? null : upload.error,
    stop: () => abort.current.abort(),
  };
}
