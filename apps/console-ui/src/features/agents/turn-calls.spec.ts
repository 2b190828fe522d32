import { type AgentEvent } from '@inference/agent-client';
import { callsByLastEvent, waitsForCall } from './tool-calls';

const event = (id: string, turn: string, more: object = {}) =>
  ({ id, turn_id: turn, type: 'message', status: 'completed', ...more }) as unknown as AgentEvent;

it('puts the calls of a turn behind its last event, also if the next message came before', () => {
  const events = [
    event('a', '1'),
    event('b', '2'),
    event('c', '1', { type: 'tool_calls', request_id: 'req_1' }),
    event('d', '1', { type: 'tool_result' }),
    event('e', '1', { request_id: 'req_2' }),
  ];
  expect([...callsByLastEvent(events)]).toEqual([
    ['e', ['req_1', 'req_2']],
    ['b', []],
  ]);
});

it('waits for the call of an answer that was cancelled', () => {
  const partial = event('a', '1', { status: 'incomplete' });
  const cancelled = event('b', '1', { type: 'turn.cancelled', status: 'cancelled' });
  expect(waitsForCall([partial, cancelled])).toBe(true);
  expect(waitsForCall([partial, { ...cancelled, request_id: 'req_1' } as AgentEvent])).toBe(false);
  expect(waitsForCall([event('a', '1'), cancelled])).toBe(false);
  expect(waitsForCall([cancelled])).toBe(false);
  expect(waitsForCall([])).toBe(false);
});
