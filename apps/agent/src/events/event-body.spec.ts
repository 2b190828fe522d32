import { validated } from '@inference/dto';
import { PostEventDto } from './event.dto';
import { eventBodyOf } from './posted-event';

const USER = { role: 'user', content: 'Hello' };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const RESULT = { tool_call_id: 'c', content: 'x' };

const bodyOf = async (value: object) => eventBodyOf(await validated(PostEventDto, value));
/** What is hashed to recognise a repeated request. */
const jsonOf = async (value: object) => JSON.stringify(await bodyOf(value));

it('drops fields that it does not know', async () => {
  const call = { ...CALL, index: 0, function: { ...CALL.function, strict: true } };
  const sent = { ...USER, name: 'x', metadata: { a: [1] }, tool_calls: [call] };
  expect(await bodyOf(sent)).toEqual({ ...USER, tool_calls: [CALL] });
  const results = [{ ...RESULT, is_error: true, type: 'text' }];
  expect(await bodyOf({ role: 'tool', tool_call_results: results })).toEqual({
    role: 'tool',
    tool_call_results: [{ ...RESULT, is_error: true }],
  });
});

it.each([
  [
    {
      content: 'Hello',
      tool_calls: [{ function: { arguments: '{}', name: 'f' }, type: 'function', id: 'c' }],
    },
    '{"role":"user","content":"Hello","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}',
  ],
  [{ content: 'Hello', tool_calls: [], tool_call_results: null }, '{"role":"user","content":"Hello"}'],
])('has one order of members whatever the order of the client: %j', async (fields, json) => {
  expect(await jsonOf({ ...fields, role: 'user' })).toBe(json);
});

it('keeps the order of the members of results', async () => {
  const sent = { tool_call_results: [{ is_error: null, ...RESULT }], tool_calls: null, role: 'tool' };
  expect(await jsonOf(sent)).toBe('{"role":"tool","tool_call_results":[{"tool_call_id":"c","content":"x"}]}');
});

it.each([
  [{}, /^role: is missing$/],
  [{ role: 'system', content: 'x' }, /^role: must be one of user, assistant, tool$/],
  [{ role: 'user' }, /^content: is missing$/],
  [{ role: 'assistant' }, /^content: is missing$/],
  [{ role: 'assistant', content: '' }, /^content: must not be empty$/],
  [
    { role: 'assistant', content: 'x', tool_call_results: [RESULT] },
    /^tool_call_results: belong to the role tool$/,
  ],
  [{ role: 'user', content: null }, /^content: must not be null$/],
  [{ role: 'user', content: '' }, /^content: must not be empty$/],
  [{ ...USER, tool_call_results: [RESULT] }, /^tool_call_results: belong to the role tool$/],
  [{ role: 'tool' }, /^tool_call_results: is missing$/],
  [{ role: 'tool', tool_call_results: null }, /^tool_call_results: must not be null$/],
  [{ role: 'tool', tool_call_results: [] }, /^tool_call_results: must have at least 1 entries$/],
  [
    { role: 'tool', tool_call_results: [RESULT, RESULT] },
    /^tool_call_results: each tool_call_id must come once$/,
  ],
  [
    { role: 'user', tool_calls: [{ ...CALL, id: 1 }] },
    /^content: is missing; tool_calls\.0\.id: must be a text$/,
  ],
])('%j is refused, and every fault is named', async (sent, message) => {
  await expect(validated(PostEventDto, sent)).rejects.toThrow(message);
});
