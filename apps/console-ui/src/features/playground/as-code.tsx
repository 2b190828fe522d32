import { Modal, Stack, Text } from '@mantine/core';
import { CodeSamples } from '../../components/code/code-samples';
import { useSite } from '../../site/site';
import { type Conversation, requestBody } from './conversation/conversation';
import { samplesOf } from './request-samples';
import { usePlaygroundTexts } from './texts/playground-texts';

/** The next call of the first model as a program makes it. */
export function AsCode({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = usePlaygroundTexts();
  const { urls } = useSite();
  const { parameters, turns, draft } = conversation;
  const last = turns.at(-1);
  const [earlier, prompt] = draft.trim()
    ? [turns, draft]
    : [turns.slice(0, -1), last?.prompt ?? t('examplePrompt')];
  return (
    <Modal opened onClose={onClose} title={t('asCode')} size="xl">
      <Stack>
        <Text size="md">{t('asCode.text')}</Text>
        <CodeSamples
          samples={samplesOf(urls.gateway, requestBody(parameters, earlier, prompt, 0))}
          label={t('asCode.language')}
        />
      </Stack>
    </Modal>
  );
}
