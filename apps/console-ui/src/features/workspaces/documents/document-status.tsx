import { Badge, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language-context';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { type MemoDocument } from './document-queries';
import classes from './documents.module.css';
import { percentOf } from './percent';

const COLORS = { queued: 'gray', processing: 'blue', ready: 'green', failed: 'red' } as const;

/** Whether questions are answered from the document; if not, how far it is read, or why it cannot be. */
export function DocumentStatus({ document }: { document: MemoDocument }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const { status, progress, error, version, serving_version: serving } = document;
  const percent = progress && percentOf(progress);
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={COLORS[status]} tt="none">
        {t(`status.${status}`)}
        {status === 'processing' && percent !== null && ` ${percent} %`}
      </Badge>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" className={classes.reason}>
          {t(`failure.${error.code}`)}
        </Text>
      )}
      {serving && !serving.equals(version) && (
        <Text size="sm" c="dimmed">
          {t('version.inUse', { version: formatNumber(serving, language) })}
        </Text>
      )}
    </Stack>
  );
}
