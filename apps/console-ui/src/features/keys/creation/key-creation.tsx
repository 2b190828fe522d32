import { Modal } from '@mantine/core';
import { useState } from 'react';
import { type CreatedApiKey } from '../key-queries';
import { useKeyTexts } from '../texts/key-texts';
import { CreatedKey } from './created-key';
import { KeyForm } from './key-form';

/**
 * Creates a key and shows its secret, which is in this component only: when it closes, no page, cache or storage has it.
 * While the secret is in sight the dialog closes by its button only.
 */
export function KeyCreation({ onClose }: { onClose: () => void }) {
  const t = useKeyTexts();
  const [created, setCreated] = useState<CreatedApiKey>();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={created ? t('created.title') : t('create')}
      withCloseButton={!created}
      closeOnEscape={!created}
      closeOnClickOutside={false}
    >
      {created ? (
        <CreatedKey created={created} onClose={onClose} />
      ) : (
        <KeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}
