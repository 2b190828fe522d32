import { AnswerParts, type Part } from './answer-parts';

/** What servers of models really send, and the parts that become of it. */

type Delta = Record<string, unknown>;

function partsOf(
  deltas: Delta[],
  choice: Delta = {},
): { parts: string[]; heard: string[]; answer: AnswerParts } {
  const heard: string[] = [];
  const name = ({ kind, index }: Part) => `${kind}${index}`;
  const answer = new AnswerParts(
    {
      open: (part) => heard.push(`open ${name(part)}`),
      add: (part, text) => heard.push(`${name(part)} ${text}`),
      close: (part) => heard.push(`close ${name(part)}`),
    },
    'req_1',
  );
  for (const delta of deltas) answer.read({ choices: [{ index: 0, delta, ...choice }] });
  answer.end();
  const parts = answer.parts.map(({ kind, text, id, name: of }) =>
    kind === 'call' ? `${of}(${text}) ${id}` : `${kind}: ${text}`,
  );
  return { parts, heard, answer };
}

const call = (fields: Delta, name?: string, args?: unknown): Delta => ({
  tool_calls: [
    {
      ...fields,
      function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
    },
  ],
});

it.each<[string, Delta[], string[]]>([
  [
    'a text in pieces',
    [{ content: 'a' }, { content: '' }, { content: null }, { content: 'b' }],
    ['text: ab'],
  ],
  ['a thought under either name', [{ reasoning_content: 'a' }, { reasoning: 'b' }], ['reasoning: ab']],
  ['a thought under both names', [{ reasoning_content: 'a', reasoning: 'a' }], ['reasoning: a']],
  [
    'thought, text, thought',
    [{ reasoning: 'a' }, { content: 'b' }, { reasoning: 'c' }],
    ['reasoning: a', 'text: b', 'reasoning: c'],
  ],
  [
    'a content as a list of parts',
    [
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'a' }] },
          { type: 'text', text: 'b' },
        ],
      },
      {
        content: [
          { type: 'thinking', thinking: 'c' },
          { type: 'refusal', refusal: 'd' },
        ],
      },
    ],
    ['reasoning: a', 'text: b', 'reasoning: c', 'refusal: d'],
  ],
  ['a refusal', [{ refusal: 'no' }], ['refusal: no']],
  [
    'a call in pieces',
    [
      call({ index: 0, id: 'a' }, 'f', ''),
      call({ index: 0 }, undefined, '{"x"'),
      call({ index: 0 }, undefined, ':1}'),
    ],
    ['f({"x":1}) a'],
  ],
  [
    'a name and an id that each chunk repeats',
    [
      call({ index: 0, id: 'a' }, 'f', '{"x"'),
      call({ index: 0, id: 'a' }, 'f', ':1'),
      call({ index: 0, id: 'a' }, 'f', '}'),
    ],
    ['f({"x":1}) a'],
  ],
  [
    'a name that each chunk repeats, without ids',
    [call({ index: 0 }, 'f', '{"x"'), call({ index: 0 }, 'f', ':1}')],
    ['f({"x":1}) call_1_0'],
  ],
  [
    'several calls with one index',
    [
      call({ index: 0, id: 'a' }, 'f', '{}'),
      call({ index: 0, id: 'b' }, 'g', '{"y"'),
      call({ index: 0 }, undefined, ':2}'),
    ],
    ['f({}) a', 'g({"y":2}) b'],
  ],
  [
    'calls without an index',
    [call({ id: 'a' }, 'f', '{"x":'), call({}, undefined, '1}'), call({ id: 'b' }, 'f', '{}')],
    ['f({"x":1}) a', 'f({}) b'],
  ],
  [
    'calls without index and id',
    [call({}, 'f', '{"x":1}'), call({}, 'f', '{"x":2}'), call({}, 'g', '{}')],
    ['f({"x":1}) call_1_0', 'f({"x":2}) call_1_1', 'g({}) call_1_2'],
  ],
  [
    'an id that comes late',
    [call({ index: 0 }, 'f', ''), call({ index: 0, id: 'a' }, undefined, '{}')],
    ['f({}) call_1_0'],
  ],
  [
    'an id that comes late with the name again',
    [call({ index: 0 }, 'f', ''), call({ index: 0, id: 'a' }, 'f', '{"x":1}')],
    ['f({"x":1}) call_1_0'],
  ],
  [
    'an id and a name that come late',
    [call({ index: 0 }, undefined, ''), call({ index: 0, id: 'a' }, 'f', '{}')],
    ['f({}) call_1_0'],
  ],
  [
    'an id behind a complete call',
    [call({ index: 0 }, 'f', '{"x":"{"}'), call({ index: 0, id: 'a' }, 'f', '{}')],
    ['f({"x":"{"}) call_1_0', 'f({}) a'],
  ],
  [
    'two calls of which the first has its id late',
    [
      call({ index: 0 }, 'f', ''),
      call({ index: 0, id: 'a' }, 'f', ''),
      call({ index: 0, id: 'b' }, 'f', '{}'),
    ],
    ['f() call_1_0', 'f({}) b'],
  ],
  ['a content as a list of texts', [{ content: ['a', 'b'] }, { content: ['c'] }], ['text: abc']],
  ['a name that comes late', [call({ index: 0, id: 'a' }), call({ index: 0 }, 'f', '{}')], ['f({}) a']],
  ['arguments as an object', [call({ index: 0, id: 'a' }, 'f', { x: 1 })], ['f({"x":1}) a']],
  [
    'the former function_call',
    [{ function_call: { name: 'f', arguments: '{' } }, { function_call: { arguments: '}' } }],
    ['f({}) call_1_0'],
  ],
  [
    'calls that interleave',
    [
      call({ index: 0, id: 'a' }, 'f', '{"x":'),
      call({ index: 1, id: 'b' }, 'g', '{"y":'),
      call({ index: 0 }, undefined, '1}'),
      call({ index: 1 }, undefined, '2}'),
    ],
    ['f({"x":1}) a', 'g({"y":2}) b'],
  ],
  ['what is no chunk', [null as never, [] as never, { tool_calls: [null, 7] } as never].slice(0, 2), []],
])('%s', (_title, deltas, expected) => {
  expect(partsOf(deltas).parts).toEqual(expected);
});

it('opens a part when the one before is closed, also if calls interleave', () => {
  const { heard } = partsOf([
    { content: 'a' },
    call({ index: 0, id: 'a' }, 'f', '{"x":'),
    call({ index: 1, id: 'b' }, 'g', '{}'),
    call({ index: 0 }, undefined, '1}'),
  ]);
  expect(heard).toEqual([
    ...['open text0', 'text0 a', 'close text0'],
    ...['open call1', 'call1 {"x":', 'call1 1}', 'close call1'],
    ...['open call2', 'call2 {}', 'close call2'],
  ]);
});

it('reads a whole answer', () => {
  const answer = new AnswerParts({ open: () => 0, add: () => 0, close: () => 0 }, 'req_1');
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  answer.read({
    choices: [{ message: { content: 'a' }, finish_reason: 'length' }],
    usage,
    service_tier: 'flex',
  });
  expect(answer).toMatchObject({
    finishReason: 'length',
    usage,
    serviceTier: 'flex',
    parts: [{ text: 'a' }],
  });
});

it('finds the usage where the meter finds it', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  for (const chunk of [{ usage }, { choices: [{ usage }] }, { choices: [], x_groq: { usage } }]) {
    const { answer } = partsOf([]);
    answer.read(chunk);
    expect(answer.usage).toEqual(usage);
  }
});

it('keeps the usage against placeholders of zeros, before and behind it', () => {
  const { answer } = partsOf([]);
  for (const prompt_tokens of [0, 5, 0])
    answer.read({ choices: [], usage: { prompt_tokens, completion_tokens: prompt_tokens } });
  expect(answer.usage).toEqual({ prompt_tokens: 5, completion_tokens: 5 });
});

it('reads a content that follows an early finish_reason', () => {
  const { answer, parts } = partsOf([{ content: 'a' }, { content: 'b' }], { finish_reason: 'stop' });
  expect([answer.finishReason, parts]).toEqual(['stop', ['text: ab']]);
});

it.each([
  ['a name that each fragment repeats', [call({ index: 0 }, 'f', '{"x":"')], call({ index: 0 }, 'f', '}')],
  [
    'a call that waits for the one before',
    [call({ index: 0, id: 'a' }, 'f', '{"x":"}'), call({ index: 1, id: 'b' }, 'g', '{"x":"')],
    call({ index: 1 }, undefined, '}'),
  ],
])('does not parse all arguments again for each fragment: %s', (_title, first, next) => {
  const parse = jest.spyOn(JSON, 'parse');
  const { parts } = partsOf([...first, ...Array.from({ length: 2_000 }, () => next)]);
  expect(parse.mock.calls.length).toBeLessThan(10);
  parse.mockRestore();
  expect(parts.at(-1)).toContain('}}}}');
});
