import {
  Alert,
  Badge,
  Button,
  Group,
  Loader,
  Modal,
  Paper,
  Skeleton,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Code, Eraser } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { CopyButton } from '../../components/copy-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useSite } from '../../api/site';
import { CallsCost } from '../requests/request-parts';
import { Composer } from './composer';
import { type Answer, type Conversation, requestBody, type Turn, withOfferedModels } from './conversation';
import { ParametersForm } from './parameters-form';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';
import { playgroundModelsQuery, samplesOf } from './request-samples';
import { useConversation } from './use-conversation';

/** A conversation with one model, or with two side by side. */
export function PlaygroundPage() {
  const t = usePlaygroundTexts();
  const { features } = useSite();
  if (features.playground) return <Playground />;
  return (
    <Page title={t('title')}>
      <EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>
    </Page>
  );
}

function Playground() {
  const t = usePlaygroundTexts();
  const query = useQuery(playgroundModelsQuery(useConsoleApi()));
  const { conversation, isBusy, ...actions } = useConversation();
  const parameters = withOfferedModels(conversation.parameters, query.data ?? []);
  const chosen = { ...conversation, parameters };
  const [isCodeOpen, setIsCodeOpen] = useState(false);
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        query.data?.length ? (
          <>
            <Button
              variant="default"
              leftSection={<Eraser size={16} />}
              disabled={isBusy || conversation.turns.length === 0}
              onClick={actions.clear}
            >
              {t('clear')}
            </Button>
            <Button variant="default" leftSection={<Code size={16} />} onClick={() => setIsCodeOpen(true)}>
              {t('asCode')}
            </Button>
          </>
        ) : null
      }
    >
      <QueryState
        query={query}
        skeleton={<Skeleton height={420} />}
        isEmpty={(models) => models.length === 0}
        empty={<EmptyState title={t('noModels')}>{t('noModels.text')}</EmptyState>}
      >
        {(models) => (
          <div className={classes.playground}>
            <ParametersForm
              models={models}
              parameters={parameters}
              isBusy={isBusy}
              onChange={actions.setParameters}
            />
            <Stack gap="md" miw={0}>
              {conversation.turns.length === 0 ? (
                <Alert variant="light" color="gray">
                  {t('empty')}
                </Alert>
              ) : (
                <Turns turns={conversation.turns} isBusy={isBusy} onRetry={actions.retry} />
              )}
              <Composer
                conversation={chosen}
                isBusy={isBusy}
                onDraft={actions.setDraft}
                onSend={() => actions.send(parameters)}
                onStop={actions.stop}
              />
            </Stack>
          </div>
        )}
      </QueryState>
      {isCodeOpen && <AsCode conversation={chosen} onClose={() => setIsCodeOpen(false)} />}
    </Page>
  );
}

/** The next call of the first model as a program makes it. */
function AsCode({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
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

interface Props {
  turns: Turn[];
  isBusy: boolean;
  onRetry: (place: number) => void;
}

function Turns({ turns, isBusy, onRetry }: Props) {
  const t = usePlaygroundTexts();
  return (
    <Stack gap="lg" role="log" aria-label={t('conversation')} aria-busy={isBusy}>
      {turns.map(({ id, prompt, answers }, index) => (
        <Stack key={id} gap="sm">
          <Paper withBorder p="sm" className={classes.prompt}>
            <VisuallyHidden>{t('you')}</VisuallyHidden>
            <Text size="md" className={classes.text}>
              {prompt}
            </Text>
          </Paper>
          <div className={classes.answers} data-count={answers.length}>
            {answers.map((answer, place) => (
              <AnswerCard
                key={place}
                answer={answer}
                onRetry={index === turns.length - 1 && !isBusy ? () => onRetry(place) : undefined}
              />
            ))}
          </div>
        </Stack>
      ))}
    </Stack>
  );
}

/** What a model answered, with its tokens and cost. `onRetry`: present for the newest answer. */
function AnswerCard({ answer, onRetry }: { answer: Answer; onRetry: (() => void) | undefined }) {
  const t = usePlaygroundTexts();
  const { model, text, state, requestId, failure } = answer;
  return (
    <Paper withBorder p="sm" component="article" aria-label={t('answerOf', { model })} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" miw={0}>
            <Text size="sm" fw={600} className={classes.model}>
              {model}
            </Text>
            {state === 'waiting' && <Loader size={14} aria-label={t('waiting')} />}
            {state === 'stopped' && (
              <Badge variant="default" tt="none">
                {t('stopped')}
              </Badge>
            )}
          </Group>
          {text && <CopyButton value={text} label={t('copyAnswer')} />}
        </Group>
        {text && (
          <Text size="md" className={classes.text}>
            {text}
          </Text>
        )}
        {failure && <ErrorNotice error={new ApiError(failure)} {...(onRetry && { onRetry })} />}
        {state === 'stopped' && onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('again')}
            </Button>
          </Group>
        )}
        {requestId && state !== 'waiting' && <CallsCost requestIds={[requestId]} />}
      </Stack>
    </Paper>
  );
}
