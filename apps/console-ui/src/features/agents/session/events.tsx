import { Alert, Code, Text } from '@mantine/core';
import { type AgentEvent } from '@inference/agent-client';
import { Fragment } from 'react';
import { CallsCost } from '../../requests/cost/calls-cost';
import { useAgentTexts } from '../texts/agent-texts';
import { Message } from './message';
import { callsByLastEvent } from './turn-calls';

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
