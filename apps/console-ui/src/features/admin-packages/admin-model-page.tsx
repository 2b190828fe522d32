import { Badge, Button, Code, Group, Text, Alert, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Upload } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { useAdminPackagesTexts } from './admin-packages-texts';
import { ModelDialog } from './model-dialog';
import {
  adminModelQuery,
  type ModelPackage,
  type ModelWithPackages,
  useDeleteModel,
  useDeletePackage,
  usePublishPackage,
} from './package-queries';
import { type PackageUpload, numberOf, sending, uploadsQuery, useDiscardUpload } from './package-uploads';
import { UploadDialog } from './upload-dialog';

type PackageAction = 'publish' | 'withdraw' | 'delete';

const COLORS = { uploading: 'gray', stored: 'blue', published: 'teal' } as const;
const DIGEST_CHARS = 12;

interface PackageTableProps {
  packages: ModelPackage[];
  onAct: (action: PackageAction, one: ModelPackage) => void;
}

function PackageTable({ packages, onAct }: PackageTableProps) {
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
      place: 'status',
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

export function AdminModelPage() {
  const t = useAdminPackagesTexts();
  const { _splat: slug = '' } = useParams({ strict: false });
  const query = useQuery(adminModelQuery(useConsoleApi(), slug));
  const [dialog, setDialog] = useState<'edit' | 'upload'>();
  const [act, setAct] = useState<{ action: PackageAction; one: ModelPackage }>();
  const [unfinished, setUnfinished] = useState<PackageUpload>();
  const close = () => {
    setDialog(undefined);
    setUnfinished(undefined);
  };
  const goOn = (upload: PackageUpload) => {
    setUnfinished(upload);
    setDialog('upload');
  };
  const { data: model } = query;
  const uploadButton = (
    <Button leftSection={<Upload size={16} />} onClick={() => setDialog('upload')}>
      {t('upload')}
    </Button>
  );
  return (
    <Page
      title={model?.name ?? slug}
      description={<Code>{slug}</Code>}
      actions={
        model && (
          <>
            <Button variant="default" component={Link} to="/admin/models">
              {t('all')}
            </Button>
            <Button variant="default" leftSection={<Pencil size={16} />} onClick={() => setDialog('edit')}>
              {t('edit')}
            </Button>
            {model.packages.length > 0 && uploadButton}
          </>
        )
      }
    >
      <QueryState query={query}>
        {(shown) => (
          <>
            {shown.description && <Text maw="75ch">{shown.description}</Text>}
            {dialog !== 'upload' && <UnfinishedUploads slug={slug} onGoOn={goOn} />}
            {shown.packages.length > 0 ? (
              <PackageTable packages={shown.packages} onAct={(action, one) => setAct({ action, one })} />
            ) : (
              <EmptyState
                title={t('packages.empty.title')}
                action={
                  <Group>
                    {uploadButton}
                    <DeleteModelButton model={shown} />
                  </Group>
                }
              >
                {t('packages.empty.text')}
              </EmptyState>
            )}
          </>
        )}
      </QueryState>
      {dialog === 'edit' && model && <ModelDialog model={model} onSaved={close} onClose={close} />}
      {dialog === 'upload' && <UploadDialog {...{ slug, unfinished }} onClose={close} />}
      {act && model && <PackageDialog {...act} model={model} onClose={() => setAct(undefined)} />}
    </Page>
  );
}

/** A model without packages is nothing yet, so it goes without a question. */
function DeleteModelButton({ model: { slug, name } }: { model: ModelWithPackages }) {
  const t = useAdminPackagesTexts();
  const navigate = useNavigate();
  const deletion = useDeleteModel();
  const confirm = () =>
    deletion.mutate(slug, {
      onSuccess: () => {
        notifications.show({ message: t('model.delete.done', { name }) });
        void navigate({ to: '/admin/models' });
      },
    });
  if (deletion.error) return <ErrorNotice error={deletion.error} />;
  return (
    <Button variant="default" loading={deletion.isPending} onClick={confirm}>
      {t('model.delete')}
    </Button>
  );
}

interface Props {
  action: PackageAction;
  model: ModelWithPackages;
  one: ModelPackage;
  onClose: () => void;
}

/** Asks before a package is published, withdrawn or deleted. */
function PackageDialog({ action, model, one, onClose }: Props) {
  const t = useAdminPackagesTexts();
  const publication = usePublishPackage(model);
  const deletion = useDeletePackage();
  const doing = action === 'delete' ? deletion : publication;
  const { version } = one;
  const onSuccess = () => {
    notifications.show({ message: t(`${action}.done`, { version }) });
    onClose();
  };
  const confirm = () =>
    action === 'delete'
      ? deletion.mutate(one, { onSuccess })
      : publication.mutate(action === 'publish' ? version : null, { onSuccess });
  return (
    <ConfirmDialog
      title={t(`${action}.title`, { version })}
      text={t(`${action}.text`)}
      confirmText={t(action)}
      isDanger={action === 'delete'}
      doing={doing}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

interface UploadsProps {
  slug: string;
  onGoOn: (upload: PackageUpload) => void;
}

/** Uploads of the model that an earlier visit began, to go on with or to discard. */
function UnfinishedUploads({ slug, onGoOn }: UploadsProps) {
  const t = useAdminPackagesTexts();
  const { data: uploads = [] } = useQuery(uploadsQuery(useConsoleApi()));
  const discarding = useDiscardUpload();
  const unfinished = uploads.filter(
    (one) => one.slug === slug && one.state === 'uploading' && !sending.has(one.id),
  );
  if (unfinished.length === 0) return null;
  return (
    <Alert role="status" variant="light" title={t('unfinished')}>
      <Stack gap="xs">
        {discarding.error && <ErrorNotice error={discarding.error} />}
        {unfinished.map((one) => {
          const { id, file_name: name, version } = one;
          const percent = Math.floor((one.arrived_parts.length * 100) / numberOf(one.parts));
          return (
            <Group key={id} justify="space-between">
              <Text size="md">{t('unfinished.text', { name, version, percent })}</Text>
              <Group gap="xs">
                <Button
                  size="xs"
                  aria-label={t('unfinished.goOn.named', { name })}
                  onClick={() => onGoOn(one)}
                >
                  {t('unfinished.goOn')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('unfinished.discard.named', { name })}
                  loading={discarding.isPending && discarding.variables === id}
                  onClick={() => discarding.mutate(id)}
                >
                  {t('unfinished.discard')}
                </Button>
              </Group>
            </Group>
          );
        })}
      </Stack>
    </Alert>
  );
}
