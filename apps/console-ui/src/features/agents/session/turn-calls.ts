import { type AgentEvent } from '@inference/agent-client';

const callOf = (event: AgentEvent): string | undefined =>
  'request_id' in event ? event.request_id : undefined;

/** The calls of models that each turn has cost so far, by the id of the last event of the turn. */
export function callsByLastEvent(events: AgentEvent[]): Map<string, string[]> {
  const turns = new Map<string, { lastEvent: string; calls: string[] }>();
  for (const event of events) {
    const call = callOf(event);
    const calls = turns.get(event.turn_id)?.calls ?? [];
    turns.set(event.turn_id, { lastEvent: event.id, calls: call === undefined ? calls : [...calls, call] });
  }
  return new Map([...turns.values()].map(({ lastEvent, calls }) => [lastEvent, calls]));
}

/** Whether the newest turn was cancelled in the middle of an answer, and the call is not named yet. */
export function waitsForCall(events: AgentEvent[]): boolean {
  const [before, last] = events.slice(-2);
  return (
    last?.type === 'turn.cancelled' &&
    last.request_id === undefined &&
    before?.status === 'incomplete' &&
    before.turn_id === last.turn_id
  );
}
