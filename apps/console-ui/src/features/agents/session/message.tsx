import { Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode } from 'react';
import { useAgentTexts } from '../agent-texts';
import classes from '../agents.module.css';

interface Props {
  speaker: 'user' | 'assistant' | 'tool';
  text: string;
  /** More of it is on its way. */
  isGrowing?: boolean;
  children?: ReactNode;
}

export function Message({ speaker, text, isGrowing = false, children }: Props) {
  const t = useAgentTexts();
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={t(`speaker.${speaker}`)}
      className={classes.message}
      data-speaker={speaker}
    >
      <Stack gap={4}>
        <Group gap="xs">
          <Text size="sm" fw={600} c="dimmed">
            {t(`speaker.${speaker}`)}
          </Text>
          {isGrowing && <Loader size={14} aria-label={t('running')} />}
        </Group>
        {text && (
          <Text size="md" className={classes.text}>
            {text}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  );
}
