import { type AgentEvent, type ToolCall, type ToolCallResult } from '@inference/agent-client';
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Code,
  Group,
  Loader,
  Paper,
  Skeleton,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { SendHorizontal, Square } from 'lucide-react';
import { Fragment, type KeyboardEvent, type ReactNode, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { CallsCost } from '../requests/request-parts';
import { agentSessionQuery, useAgentClients } from './agent-queries';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { callsByLastEvent, unansweredCalls } from './tool-calls';
import { useLiveTurn } from './use-live-turn';

/** A session with an agent: what was said, the turn that runs, and the next message. */
export function AgentPage() {
  const t = useAgentTexts();
  const { id } = useParams({ from: '/console/agents/$id' });
  const { calls } = useAgentClients();
  const query = useQuery(agentSessionQuery(calls, id));
  const live = useLiveTurn(id, query.data);
  return (
    <Page
      title={id}
      description={
        <Anchor component={Link} to="/agents">
          {t('back')}
        </Anchor>
      }
      actions={
        (live.isRunning || query.data?.session.open_turns.length) && (
          <Button variant="default" leftSection={<Square size={14} />} onClick={() => void live.cancel()}>
            {t('cancelTurn')}
          </Button>
        )
      }
    >
      <QueryState query={query} skeleton={<Skeleton height={360} />}>
        {({ session, events }) => {
          const waiting = session.open_turns.find(({ status }) => status === 'requires_action');
          // Once the turn has ended, its text is among the stored events.
          const isLive = live.text === '' || session.open_turns.some((turn) => turn !== waiting);
          const unanswered = waiting && !live.isRunning ? unansweredCalls(events, waiting.id) : [];
          return (
            <Stack gap="md">
              <Stack gap="md" role="log" aria-label={t('conversation')} aria-busy={live.isRunning}>
                <Events events={events} />
                {live.isRunning && isLive && <Message speaker="assistant" text={live.text} isGrowing />}
              </Stack>
              {live.error !== undefined && <ErrorNotice error={live.error} onRetry={live.goOn} />}
              {unanswered.length > 0 ? (
                <ToolResultForm
                  key={unanswered.map((call) => call.id).join()}
                  calls={unanswered}
                  onSend={(results) => void live.send({ role: 'tool', tool_call_results: results })}
                />
              ) : (
                <MessageForm
                  isBusy={live.isRunning}
                  onSend={(content) => live.send({ role: 'user', content })}
                />
              )}
            </Stack>
          );
        }}
      </QueryState>
    </Page>
  );
}

interface Props {
  calls: ToolCall[];
  onSend: (results: ToolCallResult[]) => void;
}

/** Answers the tool calls for which a turn waits. */
function ToolResultForm({ calls, onSend }: Props) {
  const t = useAgentTexts();
  const form = useForm({
    initialValues: { results: calls.map(() => ({ content: '', is_error: false })) },
  });
  const submit = ({ results }: typeof form.values) =>
    onSend(calls.map(({ id }, index) => ({ tool_call_id: id, ...results[index]! })));
  return (
    <Paper withBorder p="md" component="section" aria-label={t('toolCalls')}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="md">
          <Text size="md">{t('toolCalls.text', { count: calls.length })}</Text>
          {calls.map(({ id, function: { name, arguments: written } }, index) => (
            <Stack key={id} gap="xs">
              <Code block>{`${name}(${written})`}</Code>
              <Textarea
                label={t('result', { name })}
                autosize
                minRows={2}
                maxRows={8}
                {...form.getInputProps(`results.${index}.content`)}
              />
              <Checkbox
                label={t('result.isError')}
                {...form.getInputProps(`results.${index}.is_error`, { type: 'checkbox' })}
              />
            </Stack>
          ))}
          <Group justify="flex-end">
            <Button type="submit">{t('result.send')}</Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

/** The stored events of a session, each turn with what it has cost. */
function Events({ events }: { events: AgentEvent[] }) {
  const calls = callsByLastEvent(events);
  return events.map((event) => {
    const requestIds = calls.get(event.id) ?? [];
    return (
      <Fragment key={event.id}>
        <StoredEvent event={event} />
        {requestIds.length > 0 && <CallsCost requestIds={requestIds} />}
      </Fragment>
    );
  });
}

function StoredEvent({ event }: { event: AgentEvent }) {
  const t = useAgentTexts();
  switch (event.type) {
    case 'message':
      return (
        <Message speaker={event.role} text={event.content}>
          {event.status === 'incomplete' && (
            <Text size="sm" c="dimmed">
              {t('incomplete')}
            </Text>
          )}
        </Message>
      );
    case 'tool_calls':
      return (
        <Message speaker="assistant" text={event.content}>
          {event.tool_calls.map(({ id, function: { name, arguments: written } }) => (
            <Code key={id} block>{`${name}(${written})`}</Code>
          ))}
        </Message>
      );
    case 'tool_result':
      return (
        <Message speaker="tool" text="">
          {event.tool_call_results.map(({ tool_call_id: id, content }) => (
            <Code key={id} block>
              {content}
            </Code>
          ))}
        </Message>
      );
    case 'turn.failed':
      return (
        <Alert color="red" variant="light" title={t('failed')}>
          {event.error.message}
        </Alert>
      );
    case 'turn.cancelled':
      return (
        <Text size="sm" c="dimmed" ta="center">
          {t('cancelled')}
        </Text>
      );
  }
}

interface MessageFormProps {
  isBusy: boolean;
  /** Resolves with false if the message was refused: it stays in the field then. */
  onSend: (content: string) => Promise<boolean>;
}

function MessageForm({ isBusy, onSend }: MessageFormProps) {
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

interface MessageProps {
  speaker: 'user' | 'assistant' | 'tool';
  text: string;
  /** More of it is on its way. */
  isGrowing?: boolean;
  children?: ReactNode;
}

function Message({ speaker, text, isGrowing = false, children }: MessageProps) {
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
