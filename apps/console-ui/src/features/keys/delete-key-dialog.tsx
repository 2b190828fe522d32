import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorNotice } from '../../components/errors/error-notice';
import { type ApiKey, useDeleteKey } from './key-queries';
import { useKeyTexts } from './texts/key-texts';

export function DeleteKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const deletion = useDeleteKey();
  const confirm = () =>
    deletion.mutate(apiKey.id, {
      onSuccess: () => {
        notifications.show({ message: t('delete.done', { name: apiKey.name }) });
        onClose();
      },
    });
  return (
    <Modal opened onClose={onClose} title={t('delete.title', { name: apiKey.name })}>
      <Stack>
        {deletion.error && <ErrorNotice error={deletion.error} />}
        <Text size="md">{t('delete.text')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color="red" loading={deletion.isPending} onClick={confirm}>
            {t('delete')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
