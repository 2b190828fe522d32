import { Alert, Button, Checkbox, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeSamples } from '../../../components/code/code-samples';
import { CopyButton } from '../../../components/copy-button';
import { useSite } from '../../../site/site';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { useWorkspace } from '../workspace-context';
import { KeyForm } from './key-form';
import { questionSamples } from './question-samples';
import { type CreatedWorkspaceKey } from './workspace-key-queries';

/**
 * Creates a key and shows its secret, which is in this component only: when it closes, no page, cache or storage has it.
 * While the secret is in sight the dialog closes by its button only.
 */
export function KeyCreation({ onClose }: { onClose: () => void }) {
  const t = useWorkspaceTexts();
  const [created, setCreated] = useState<CreatedWorkspaceKey>();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(created ? 'key.created.title' : 'key.create')}
      withCloseButton={!created}
      closeOnEscape={!created}
      closeOnClickOutside={false}
    >
      {created ? (
        <CreatedKey secret={created.key} onClose={onClose} />
      ) : (
        <KeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

/** The secret of a new key and a first question with it. Whoever closes says to have kept the secret. */
function CreatedKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useWorkspaceTexts();
  const { urls } = useSite();
  const { workspace } = useWorkspace();
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack>
      <Alert color="yellow">{t('key.created.once')}</Alert>
      <Stack gap="xs" align="flex-start">
        <Code block w="100%" aria-label={t('key.created.secret')}>
          {secret}
        </Code>
        <CopyButton value={secret} label={t('key.created.copy')} withText />
      </Stack>
      <Text size="md">{t('key.created.firstCall')}</Text>
      <CodeSamples samples={questionSamples(urls.memo, workspace.id)} label={t('key.created.samples')} />
      <Group justify="space-between">
        <Checkbox
          label={t('key.created.kept')}
          checked={isKept}
          onChange={(event) => setIsKept(event.currentTarget.checked)}
        />
        <Button disabled={!isKept} onClick={onClose}>
          {t('key.created.close')}
        </Button>
      </Group>
    </Stack>
  );
}
