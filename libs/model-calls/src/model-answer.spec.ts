import { ModelAnswer } from './model-answer';

/** What servers of models really send to agents and workspaces. */

type Delta = Record<string, unknown>;

const call = (fields: Delta, name?: string, args?: unknown): Delta => ({
  tool_calls: [
    {
      ...fields,
      function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
    },
  ],
});

function read(deltas: unknown[], choice: Delta = {}) {
  const answer = new ModelAnswer();
  const texts = deltas.map((delta) =>
    answer.read(JSON.stringify({ choices: [{ index: 0, delta, ...choice }] })),
  );
  return { answer, text: texts.join('') };
}

it.each<[string, Delta[], string[]]>([
  [
    'a call in pieces',
    [
      call({ index: 0, id: 'a' }, 'f', ''),
      call({ index: 0 }, undefined, '{"x"'),
      call({ index: 0 }, undefined, ':1}'),
    ],
    ['a f({"x":1})'],
  ],
  [
    'several calls with one index',
    [
      call({ index: 0, id: 'a' }, 'f', '{}'),
      call({ index: 0, id: 'b' }, 'g', '{"y"'),
      call({ index: 0 }, undefined, ':2}'),
    ],
    ['a f({})', 'b g({"y":2})'],
  ],
  [
    'calls without an index',
    [
      call({ id: 'a' }, 'f', '{"x":'),
      call({}, undefined, '1}'),
      call({ id: 'b' }, 'f', '{}'),
      call({ id: 'a' }, 'f', ' '),
    ],
    ['a f({"x":1} )', 'b f({})'],
  ],
  [
    'a name and an id that each chunk repeats',
    [call({ index: 0, id: 'a' }, 'f', '{"x"'), call({ index: 0, id: 'a' }, 'f', ':1}')],
    ['a f({"x":1})'],
  ],
  ['arguments as an object', [call({ index: 0, id: 'a' }, 'f', { x: 1 })], ['a f({"x":1})']],
  [
    'calls that interleave',
    [
      call({ index: 1, id: 'b' }, 'g', '{"y":'),
      call({ index: 0, id: 'a' }, 'f', '{"x":'),
      call({ index: 1 }, undefined, '2}'),
      call({ index: 0 }, undefined, '1}'),
    ],
    ['b g({"y":2})', 'a f({"x":1})'],
  ],
  ['what is no call', [{ tool_calls: [null, 7, 'x'] }].slice(1), []],
  [
    'a NUL, which the database cannot store',
    [call({ index: 0, id: 'a\0' }, 'f\0', '{"x":"\0"}')],
    ['a f({"x":""})'],
  ],
])('puts calls of tools together: %s', (_title, deltas, expected) => {
  const { answer } = read(deltas);
  expect(answer.toolCalls.map(({ id, function: f }) => `${id} ${f.name}(${f.arguments})`)).toEqual(expected);
});

it('names calls that the server does not name', () => {
  const { answer } = read([
    call({}, 'f', '{}'),
    call({}, 'f', '{}'),
    call({ id: 'x'.repeat(201) }, 'g', '{}'),
  ]);
  const ids = answer.toolCalls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^call_/);
});

it('reads a content as a list of parts, without its thoughts', () => {
  const { text } = read([
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'a' },
      ],
    },
    { content: ['b', { type: 'refusal', refusal: 'c' }, { type: 'reasoning', text: 'hm' }] },
    { content: 'd', refusal: 'e' },
    { content: [null, 7, {}] },
  ]);
  expect(text).toBe('abcde');
});

it('goes on reading behind an early finish_reason, and takes the usage that follows', () => {
  const { answer, text } = read([{ content: 'a' }, { content: 'b' }], { finish_reason: 'stop' });
  answer.read('{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}');
  expect([text, answer.finishReason, answer.usage?.total_tokens]).toEqual(['ab', 'stop', 5]);
});
