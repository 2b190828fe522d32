import { type AgentEvent, type ToolCall, type ToolCallResult } from '@inference/agent-client';
import { Button, Checkbox, Code, Group, Loader, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Fragment, type ReactNode } from 'react';
import { ApiError } from '../../api/api-error';
import { ErrorNotice } from '../../components/error-notice';
import { Markdown } from '../../components/markdown/markdown';
import { CallsCost } from '../requests/request-parts';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { callsByLastEvent } from './tool-calls';

interface Props {
  calls: ToolCall[];
  onSend: (results: ToolCallResult[]) => void;
}

/** Answers the tool calls for which a turn waits. */
export function ToolResultForm({ calls, onSend }: Props) {
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
export function Events({ events }: { events: AgentEvent[] }) {
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
      return <ErrorNotice title={t('failed')} error={errorOfTurn(event)} />;
    case 'turn.cancelled':
      return (
        <Text size="sm" c="dimmed" ta="center">
          {t('cancelled')}
        </Text>
      );
  }
}

/** The statuses that the services answer with these codes. */
const STATUS_OF_CODE: Record<string, number> = {
  insufficient_balance: 402,
  account_suspended: 403,
  rate_limit_exceeded: 429,
  internal_error: 500,
  model_error: 502,
  gateway_unavailable: 503,
  model_timeout: 504,
};
/** A code that is not known: what the service says is shown. */
const REFUSED = 400;

/** Why a turn has failed, as the error of a call would say it. */
function errorOfTurn({ error, request_id: requestId }: Extract<AgentEvent, { type: 'turn.failed' }>) {
  const { code, message: detail } = error;
  return new ApiError({
    status: STATUS_OF_CODE[code] ?? REFUSED,
    detail,
    code,
    requestId: requestId ?? undefined,
  });
}

interface MessageProps {
  speaker: 'user' | 'assistant' | 'tool';
  text: string;
  /** More of it is on its way. */
  isGrowing?: boolean;
  children?: ReactNode;
}

export function Message({ speaker, text, isGrowing = false, children }: MessageProps) {
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
        {text && speaker === 'assistant' && <Markdown text={text} streaming={isGrowing} />}
        {text && speaker !== 'assistant' && (
          <Text size="md" className={classes.text}>
            {text}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  );
}
