import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorNotice } from '../../components/errors/error-notice';
import { type AdminRelease, contentOf, useDeleteRelease, usePutRelease } from './release-queries';
import { type ReleaseAction } from './release-table';
import { useAdminReleasesTexts } from './texts/admin-releases-texts';

interface Props {
  action: ReleaseAction;
  release: AdminRelease;
  onClose: () => void;
}

/** Asks before a release is published, withdrawn or deleted. */
export function ReleaseActionDialog({ action, release, onClose }: Props) {
  const t = useAdminReleasesTexts();
  const put = usePutRelease();
  const deletion = useDeleteRelease();
  const { error, isPending } = action === 'delete' ? deletion : put;
  const { component, tag_name: tag } = release;
  const name = `${component} ${tag}`;
  const onSuccess = () => {
    notifications.show({ message: t(`${action}.done`, { name }) });
    onClose();
  };
  const confirm = () =>
    action === 'delete'
      ? deletion.mutate({ component, tag }, { onSuccess })
      : put.mutate({ component, tag, ...contentOf(release, action === 'withdraw') }, { onSuccess });
  return (
    <Modal opened onClose={onClose} title={t(`${action}.title`, { name })}>
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
