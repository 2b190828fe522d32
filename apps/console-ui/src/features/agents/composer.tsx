import { Button, Group, Paper, Stack, Textarea } from '@mantine/core';
import { SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { isSendKey } from '../../components/send-key';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';

interface Props {
  isBusy: boolean;
  autoFocus?: boolean;
  /** Resolves with false if the message was refused: it stays in the field then. */
  onSend: (content: string) => Promise<boolean>;
  /** Beside the button that sends. */
  tools?: ReactNode;
  /** Below the field. */
  children?: ReactNode;
}

/** The next message of a conversation, or the first one. */
export function Composer({ isBusy, autoFocus = false, onSend, tools, children }: Props) {
  const t = useAgentTexts();
  const [draft, setDraft] = useState('');
  const canSend = draft.trim() !== '' && !isBusy;
  const send = async () => {
    setDraft('');
    if (!(await onSend(draft))) setDraft((typed) => typed || draft);
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    if (canSend) void send();
  };
  return (
    <Paper withBorder p="sm" className={classes.composer}>
      <Stack gap="xs">
        <Textarea
          aria-label={t('message')}
          placeholder={t('message.hint')}
          autosize
          minRows={2}
          maxRows={8}
          autoFocus={autoFocus}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
        {children}
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" className={classes.tools!}>
            {tools}
          </Group>
          <Button
            flex="none"
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
