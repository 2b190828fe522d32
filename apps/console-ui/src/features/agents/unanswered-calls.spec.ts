import { type AgentEvent } from '@inference/agent-client';
import { storedRounds, unansweredCalls } from './tool-calls';

const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } });
const events = [
  { type: 'tool_calls', turn_id: 'turn_1', tool_calls: [call('a')] },
  { type: 'tool_calls', turn_id: 'turn_2', tool_calls: [call('b'), call('c')] },
  { type: 'tool_result', turn_id: 'turn_2', tool_call_results: [{ tool_call_id: 'b', content: '' }] },
] as unknown as AgentEvent[];

it('finds the calls of a turn without a result', () => {
  expect(unansweredCalls(events, 'turn_2').map(({ id }) => id)).toEqual(['c']);
  expect(unansweredCalls(events, 'turn_3')).toEqual([]);
});

it('counts the rounds of a turn', () => {
  expect([storedRounds(events, 'turn_1'), storedRounds(events, 'turn_3')]).toEqual([1, 0]);
});
