import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorNotice } from '../../components/errors/error-notice';
import { type Entry, useDeleteEntry } from './entry-queries';
import { useAdminChangelogTexts } from './texts/admin-changelog-texts';

export function DeleteEntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useAdminChangelogTexts();
  const deletion = useDeleteEntry();
  const confirm = () =>
    deletion.mutate(entry.id, {
      onSuccess: () => {
        notifications.show({ message: t('delete.done') });
        onClose();
      },
    });
  return (
    <Modal opened onClose={onClose} title={t('delete.title', { title: entry.title })}>
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
