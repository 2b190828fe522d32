import { Modal } from '@mantine/core';
import { useState } from 'react';
import { KeyForm } from '../key-form';
import { type CreatedApiKey, useCreateKey } from '../key-queries';
import { useKeyTexts } from '../texts/key-texts';
import { CreatedKey } from './created-key';

/**
 * Creates a key and shows its secret, which is in this component only: when it closes, no page, cache or storage has it.
 * While the secret is in sight the dialog closes by its button only.
 */
export function KeyCreation({ onClose }: { onClose: () => void }) {
  const t = useKeyTexts();
  const [created, setCreated] = useState<CreatedApiKey>();
  const creation = useCreateKey();
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
        <KeyForm save={creation} submitText={t('create.submit')} onSaved={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}
