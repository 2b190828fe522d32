import { Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { KeyForm } from './key-form';
import { type ApiKey, useEditKey } from './key-queries';
import { useKeyTexts } from './texts/key-texts';

export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const edit = useEditKey(apiKey.id);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('edit.title', { name: apiKey.name })}
      closeOnClickOutside={false}
    >
      <KeyForm
        apiKey={apiKey}
        save={edit}
        submitText={t('edit.submit')}
        onSaved={({ name }) => {
          notifications.show({ message: t('edit.done', { name }) });
          onClose();
        }}
        onCancel={onClose}
      />
    </Modal>
  );
}
