import '@mantine/dropzone/styles.layer.css';
import { Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { FileUp } from 'lucide-react';
import { useWorkspaceTexts } from '../../texts/workspace-texts';
import { useWorkspace } from '../../workspace-context';
import classes from '../documents.module.css';

/** Takes files that are dropped on it, or chosen after a click. The service says which of them it cannot read. */
export function UploadArea() {
  const t = useWorkspaceTexts();
  const { uploads } = useWorkspace();
  return (
    <Dropzone
      onDrop={(files) => uploads.add(files)}
      role="button"
      aria-label={t('upload.choose')}
      // A control inside of a button would not be read out.
      inputProps={{ 'aria-label': t('upload.choose'), style: { display: 'none' } }}
      className={classes.dropzone!}
    >
      <div className={classes.dropText}>
        <FileUp size={28} aria-hidden />
        <Text size="md" fw={500}>
          {t('upload.drop')}
        </Text>
        <Text size="sm" c="dimmed">
          {t('upload.formats')}
        </Text>
      </div>
    </Dropzone>
  );
}
