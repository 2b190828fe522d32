import { Button, Group, Paper, Stack, Textarea } from '@mantine/core';
import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useWorkspaceTexts } from '../texts/workspace-texts';

const MOST_CHARACTERS = 4_000;

interface Props {
  isBusy: boolean;
  /** Resolves with false if the question was refused: it stays in the field then. */
  onAsk: (query: string) => Promise<boolean>;
  onStop: () => void;
}

export function QuestionForm({ isBusy, onAsk, onStop }: Props) {
  const t = useWorkspaceTexts();
  const [draft, setDraft] = useState('');
  const canAsk = draft.trim() !== '' && !isBusy;
  const ask = async () => {
    setDraft('');
    if (!(await onAsk(draft.trim()))) setDraft((typed) => typed || draft);
  };
  const askOnEnter = (event: KeyboardEvent) => {
    // Enter also ends the composition of Chinese characters.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canAsk) void ask();
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Textarea
          label={t('question')}
          description={t('question.hint')}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MOST_CHARACTERS}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={askOnEnter}
        />
        <Group justify="flex-end">
          {isBusy ? (
            <Button variant="default" leftSection={<Square size={14} />} onClick={onStop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<SendHorizontal size={16} />} disabled={!canAsk} onClick={() => void ask()}>
              {t('ask')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
