import { Button, Group, Paper, Stack, Textarea } from '@mantine/core';
import { SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useAgentTexts } from '../texts/agent-texts';

interface Props {
  isBusy: boolean;
  /** Resolves with false if the message was refused: it stays in the field then. */
  onSend: (content: string) => Promise<boolean>;
}

export function MessageForm({ isBusy, onSend }: Props) {
  const t = useAgentTexts();
  const [draft, setDraft] = useState('');
  const canSend = draft.trim() !== '' && !isBusy;
  const send = async () => {
    setDraft('');
    if (!(await onSend(draft))) setDraft((typed) => typed || draft);
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    // Enter also ends the composition of Chinese characters.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) void send();
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Textarea
          label={t('message')}
          description={t('message.hint')}
          autosize
          minRows={2}
          maxRows={12}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
        <Group justify="flex-end">
          <Button
            leftSection={<SendHorizontal size={16} />}
            disabled={!canSend}
            loading={isBusy}
            onClick={() => void send()}
          >
            {t('send')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
