import { atOnce } from '@inference/http';
import { type Fields } from '../fields';
import { readResponsesRequest } from './responses-request';

const translate = (fields: Fields) =>
  atOnce(readResponsesRequest({ fields: { model: 'm', input: 'a', ...fields }, asText: JSON.stringify }));

const tool = (type: string, name: string): Fields => ({ type, name });

it.each<[param: string, Fields, message?: RegExp]>([
  ['tools.1.name', { tools: [tool('function', 'f'), tool('function', 'f')] }, /repeats the name f /],
  ['tools.2.name', { tools: [tool('custom', 'f'), tool('function', 'g'), tool('function', 'f')] }],
  ['max_tool_calls', { max_tool_calls: { a: 1 } }],
  ['stream_options', { stream_options: 5 }],
  ['stream_options.include_obfuscation', { stream_options: { include_obfuscation: 'no' } }],
  ['stream_options.nonsense', { stream_options: { nonsense: 1 } }],
  ['reasoning', { reasoning: 7 }],
  ['reasoning.context', { reasoning: { context: 7 } }],
  ['reasoning.summary', { reasoning: { summary: 7 } }],
  ['reasoning.generate_summary', { reasoning: { generate_summary: 'x' } }],
])('refuses %s of %j', (param, fields, message = /./) => {
  expect(() => translate(fields)).toThrow(
    expect.objectContaining({ code: 'invalid_value', param, message: expect.stringMatching(message) }),
  );
});

it('takes the tools away that are not allowed', () => {
  const tools = ['f', 'g', 'h'].map((name) => tool('function', name));
  const choice = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [tool('function', 'h'), tool('function', 'f')],
  };
  expect(translate({ tools, tool_choice: choice }).chat).toMatchObject({
    tools: [{ function: { name: 'f' } }, { function: { name: 'h' } }],
    tool_choice: 'required',
  });
});

it('takes what OpenAI’s SDKs add to the items of an answer that they send back', () => {
  const text = { type: 'output_text', text: '{"a":1}', annotations: [] };
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' };
  const items = (parsed: Fields, parsedArguments: Fields) => [
    { type: 'message', role: 'assistant', content: [{ ...text, ...parsed }] },
    { ...call, ...parsedArguments },
  ];
  const added = items({ parsed: { a: 1 } }, { parsed_arguments: { a: 1 } });
  expect(translate({ input: added }).chat).toEqual(translate({ input: items({}, {}) }).chat);
});

it('names what has no effect', () => {
  const fields = {
    safety_identifier: 'a',
    max_tool_calls: 3,
    stream_options: { include_obfuscation: true },
    reasoning: { context: 'auto', summary: 'auto' },
  };
  expect(translate(fields).ignored).toEqual([
    'safety_identifier',
    'max_tool_calls',
    'stream_options.include_obfuscation',
    'reasoning.context',
  ]);
  // Nothing is obfuscated here.
  expect(translate({ stream_options: { include_obfuscation: false }, max_tool_calls: null }).ignored).toEqual(
    [],
  );
});
