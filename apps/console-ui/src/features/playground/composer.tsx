import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { Amount } from '../../figures/figure-text';
import { type Conversation, isTemperature, isTokenCount, requestBody } from './conversation';
import { usePlaygroundTexts } from './playground-texts';
import { estimateQuery } from './request-samples';

const ESTIMATE_DELAY_MILLIS = 400;

interface Props {
  conversation: Conversation;
  isBusy: boolean;
  onDraft: (draft: string) => void;
  onSend: () => void;
  onStop: () => void;
}

/** The next prompt, with the most that it can cost. */
export function Composer({ conversation, isBusy, onDraft, onSend, onStop }: Props) {
  const t = usePlaygroundTexts();
  const { parameters, draft } = conversation;
  const isValid = isTemperature(parameters.temperature) && isTokenCount(parameters.maxTokens);
  const canSend = draft.trim() !== '' && isValid && !isBusy;
  const sendOnEnter = (event: KeyboardEvent) => {
    // Enter also ends the composition of Chinese characters.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Textarea
          label={t('prompt')}
          description={t('prompt.hint')}
          autosize
          minRows={3}
          maxRows={12}
          value={draft}
          onChange={(event) => onDraft(event.currentTarget.value)}
          onKeyDown={sendOnEnter}
        />
        <Group justify="space-between" mih={36}>
          <WorstCase conversation={conversation} isAsked={canSend} />
          {isBusy ? (
            <Button variant="default" leftSection={<Square size={14} />} onClick={onStop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<SendHorizontal size={16} />} disabled={!canSend} onClick={onSend}>
              {t('send')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

function WorstCase({ conversation, isAsked }: { conversation: Conversation; isAsked: boolean }) {
  const t = usePlaygroundTexts();
  const [{ parameters, turns, draft }] = useDebouncedValue(conversation, ESTIMATE_DELAY_MILLIS);
  const bodies = parameters.models.map((_, place) => requestBody(parameters, turns, draft, place));
  const { data } = useQuery({
    ...estimateQuery(useConsoleApi(), bodies),
    enabled: isAsked && draft.trim() !== '',
  });
  if (!isAsked || !data) return <Text size="sm" c="dimmed" />;
  return (
    <Text size="sm" c="dimmed">
      {t('worstCase')} <Amount value={data.worstCase} currency={data.currency} />
    </Text>
  );
}
