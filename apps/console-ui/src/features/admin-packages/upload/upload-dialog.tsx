import { Button, FileInput, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { runActivity } from '../../../activities/activity-store';
import { useConsoleApi } from '../../../api/console-api';
import { sendFile } from '../../../api/send-file';
import { useRuntimeConfig } from '../../../app/runtime-config';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { Bytes } from '../../../figures/bytes';
import { Figure } from '../../../figures/figure';
import { useSession } from '../../../session/session-context';
import { refreshModels } from '../package-queries';
import { useAdminPackagesTexts } from '../texts/admin-packages-texts';

const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;

interface PackageFile {
  version: string;
  file: File;
}

/** Uploads a file as a version of a model, and shows how much was sent. */
export function UploadDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const t = useAdminPackagesTexts();
  const { apiUrl } = useRuntimeConfig();
  const session = useSession();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const abort = useRef(new AbortController());
  const [sentBytes, setSentBytes] = useState(0);
  const upload = useMutation({
    mutationFn: ({ version, file }: PackageFile) => {
      abort.current = new AbortController();
      setSentBytes(0);
      const path = `/api/admin/models/${encodeURIComponent(slug)}/packages/${encodeURIComponent(version)}`;
      const url = `${apiUrl}${path}?${new URLSearchParams({ file_name: file.name })}`;
      return runActivity({ kind: 'upload', title: file.name, to: `/admin/models/${slug}` }, (onProgress) =>
        sendFile(
          session,
          { method: 'PUT', url, body: file, headers: { 'Content-Type': 'application/octet-stream' } },
          {
            signal: abort.current.signal,
            onProgress: (bytes) => {
              setSentBytes(bytes);
              onProgress(bytes / file.size);
            },
          },
        ),
      );
    },
    onSuccess: () => refreshModels(queryClient, api),
  });
  const form = useForm<{ version: string; file: File | null }>({
    initialValues: { version: '', file: null },
    validate: {
      version: (version) => (VERSION.test(version.trim()) ? null : t('version.invalid')),
      file: (file) => (file && file.size > 0 ? null : t('file.missing')),
    },
  });
  const submit = ({ version, file }: typeof form.values) =>
    upload.mutate(
      { version: version.trim(), file: file! },
      {
        onSuccess: () => {
          notifications.show({ message: t('upload.done', { version: version.trim() }) });
          onClose();
        },
      },
    );
  const { file } = form.values;
  const isFailed = upload.error && !abort.current.signal.aborted;
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
          {isFailed && <ErrorNotice error={upload.error} />}
          <TextInput
            label={t('version')}
            description={t('version.hint')}
            required
            data-autofocus
            disabled={upload.isPending}
            {...form.getInputProps('version')}
          />
          <FileInput
            label={t('file')}
            placeholder={t('file.choose')}
            required
            disabled={upload.isPending}
            {...form.getInputProps('file')}
          />
          {upload.isPending && file && <UploadProgress sentBytes={sentBytes} allBytes={file.size} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={upload.isPending ? () => abort.current.abort() : onClose}>
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

function UploadProgress({ sentBytes, allBytes }: { sentBytes: number; allBytes: number }) {
  const t = useAdminPackagesTexts();
  const percent = Math.floor((sentBytes * 100) / allBytes);
  return (
    <Stack gap={4}>
      <Progress value={percent} aria-label={t('upload.progress')} />
      <Text size="sm" c="dimmed">
        <Bytes value={Figure.of(BigInt(Math.min(sentBytes, allBytes)))} /> /{' '}
        <Bytes value={Figure.of(BigInt(allBytes))} />
      </Text>
      {sentBytes >= allBytes && <Text size="sm">{t('upload.checking')}</Text>}
    </Stack>
  );
}
