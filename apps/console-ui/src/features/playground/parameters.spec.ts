import { stringifyExact } from '../../api/exact-json';
import { bodyMembers, DEFAULTS, faultsOf, type Parameters, parametersIn } from './parameters';

const sent = (part: Partial<Parameters>) =>
  JSON.parse(stringifyExact(bodyMembers({ ...DEFAULTS, maxTokens: '', ...part }))) as object;
const faultOf = (part: Partial<Parameters>) => Object.values(faultsOf({ ...DEFAULTS, ...part }))[0]?.key;
const tool = (rest: object) => JSON.stringify([{ type: 'function', function: { name: 'f', ...rest } }]);

it('sends what was typed, and nothing for an empty field', () => {
  expect(sent({})).toEqual({});
  expect(
    sent({ temperature: '0.70', topP: ' 0.9', maxTokens: '64 ', seed: '-7', stop: 'END\n\n\\n\\n# \n' }),
  ).toEqual({ temperature: 0.7, top_p: 0.9, max_tokens: 64, seed: -7, stop: ['END', '\n\n# '] });
});

it('sends the format of the answer', () => {
  expect(sent({ format: 'json_object', schema: '{' })).toEqual({ response_format: { type: 'json_object' } });
  const schema = { type: 'object', properties: { n: { type: 'number', minimum: 0.5 } } };
  const json = (typed: object) => sent({ format: 'json_schema', schema: JSON.stringify(typed) });
  expect(json(schema)).toEqual({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  });
  const named = { name: 'report', strict: true, schema };
  expect(json(named)).toEqual({ response_format: { type: 'json_schema', json_schema: named } });
});

it('sends tools as they were typed', () => {
  const tools = tool({ description: 'F', parameters: { type: 'object' } });
  expect(sent({ tools })).toEqual({ tools: JSON.parse(tools) as unknown });
});

it.each<[Partial<Parameters>, string | undefined]>([
  [{ temperature: '2' }, undefined],
  [{ temperature: '2.01' }, 'temperature.invalid'],
  [{ temperature: '-1' }, 'temperature.invalid'],
  [{ temperature: '0,7' }, 'temperature.invalid'],
  [{ topP: '1.0' }, undefined],
  [{ topP: '1.1' }, 'topP.invalid'],
  [{ maxTokens: '' }, undefined],
  [{ maxTokens: '0' }, 'maxTokens.invalid'],
  [{ maxTokens: '1.5' }, 'maxTokens.invalid'],
  [{ stop: 'a\nb\nc\nd\n' }, undefined],
  [{ stop: 'a\nb\nc\nd\ne' }, 'stop.invalid'],
  [{ seed: '42' }, undefined],
  [{ seed: '4.2' }, 'seed.invalid'],
  [{ schema: '{' }, undefined],
  [{ format: 'json_schema', schema: '' }, 'schema.empty'],
  [{ format: 'json_schema', schema: '{' }, 'json.invalid'],
  [{ format: 'json_schema', schema: '[1]' }, 'schema.noObject'],
  [{ format: 'json_schema', schema: '7' }, 'schema.noObject'],
  [{ tools: tool({}) }, undefined],
  [{ tools: '{"type": "function"}' }, 'tools.noList'],
  [{ tools: '[]' }, 'tools.noList'],
  [{ tools: '[{"name": "f"}]' }, 'tools.badEntry'],
  [{ tools: tool({ name: 'no spaces' }) }, 'tools.badName'],
  [{ tools: tool({ parameters: [] }) }, 'tools.badParameters'],
  [{ tools: '[{]' }, 'json.invalid'],
])('judges %j', (part, fault) => {
  expect(faultOf(part)).toBe(fault);
});

it('reads what a preset keeps, with defaults for what is missing or strange', () => {
  const kept = { models: ['a', 'b', 'c'], temperature: '1', seed: 5, format: 'xml', other: 'x' };
  expect(parametersIn(kept)).toEqual({ ...DEFAULTS, models: ['a', 'b'], temperature: '1' });
  for (const strange of [null, 'text', []]) expect(parametersIn(strange)).toEqual(DEFAULTS);
});
