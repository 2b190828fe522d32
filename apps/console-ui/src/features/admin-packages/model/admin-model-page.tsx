import { Button, Code, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Upload } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { ModelDialog } from '../model-dialog';
import {
  adminModelQuery,
  type ModelPackage,
  type ModelWithPackages,
  useDeleteModel,
} from '../package-queries';
import { useAdminPackagesTexts } from '../texts/admin-packages-texts';
import { type PackageUpload } from '../upload/package-uploads';
import { UnfinishedUploads } from '../upload/unfinished-uploads';
import { UploadDialog } from '../upload/upload-dialog';
import { PackageDialog } from './package-dialog';
import { type PackageAction, PackageTable } from './package-table';

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
