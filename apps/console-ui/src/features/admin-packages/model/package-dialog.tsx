import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorNotice } from '../../../components/errors/error-notice';
import {
  type ModelPackage,
  type ModelWithPackages,
  useDeletePackage,
  usePublishPackage,
} from '../package-queries';
import { useAdminPackagesTexts } from '../texts/admin-packages-texts';
import { type PackageAction } from './package-table';

interface Props {
  action: PackageAction;
  model: ModelWithPackages;
  one: ModelPackage;
  onClose: () => void;
}

/** Asks before a package is published, withdrawn or deleted. */
export function PackageDialog({ action, model, one, onClose }: Props) {
  const t = useAdminPackagesTexts();
  const publication = usePublishPackage(model);
  const deletion = useDeletePackage();
  const { error, isPending } = action === 'delete' ? deletion : publication;
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
    <Modal opened onClose={onClose} title={t(`${action}.title`, { version })}>
      <Stack>
        {error && <ErrorNotice error={error} />}
        <Text size="md">{t(`${action}.text`)}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button {...(action === 'delete' && { color: 'red' })} loading={isPending} onClick={confirm}>
            {t(action)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
