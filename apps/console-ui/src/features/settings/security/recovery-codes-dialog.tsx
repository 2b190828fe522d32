import { Alert, Button, Checkbox, Group, Modal, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '../../../components/copy-button';
import { downloadText } from '../../../components/download-text';
import classes from '../settings.module.css';
import { useSettingsTexts } from '../texts/settings-texts';

/** Shows recovery codes once. Whoever closes says to have kept them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useSettingsTexts();
  const [isKept, setIsKept] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('codes.title')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow">{t('codes.once')}</Alert>
        <ul className={classes.codes} aria-label={t('codes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <CopyButton value={codes.join('\n')} label={t('codes.copy')} withText />
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            onClick={() =>
              downloadText(`${codes.join('\n')}\n`, { fileName: 'recovery-codes.txt', type: 'text/plain' })
            }
          >
            {t('codes.download')}
          </Button>
        </Group>
        <Group justify="space-between">
          <Checkbox
            label={t('codes.kept')}
            checked={isKept}
            onChange={(event) => setIsKept(event.currentTarget.checked)}
          />
          <Button disabled={!isKept} onClick={onClose}>
            {t('close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
