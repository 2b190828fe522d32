import { atOnce, JsonFault, readJson } from '@inference/http';
import fc from 'fast-check';
import { withFields } from '../proxy/upstream-body';
import { readProxyRequest } from '../proxy/request/proxy-request';
import { boundsOf } from '../proxy/request/token-bounds';
import { valueWeight } from '../proxy/usage/json-weight';
import { promptTokens } from '../proxy/usage/prompt-tokens';
import { type Fields } from './fields';
import { readBody } from './json';
import { NATIVE_MESSAGES } from './messages/messages-native';
import { readMessagesRequest } from './messages/messages-request';
import { NATIVE_RESPONSES } from './responses/responses-native';
import { readResponsesRequest } from './responses/responses-request';

/** Values that a parser and a writer of JSON would change. */
const ODD = fc.constantFrom(
  ...['9007199254740993', '-9223372036854775808', '1.0', '1e400', '-0', '0.10', '1E+2', 'null', '""'],
  ...['"\\u0061\\/"', '"model"', '"\\"max_tokens\\":1"', '{"b":1,"a":2,"b":3}', '[ 1 ,\n2.50 ]', '{ }'],
  ...['{"model":"x","max_tokens":1e3}', '[{"store":true}]'],
);
const NAMES = ['"metadata"', '"temperature"', '"x"', '"\\u0078"', '"1"', '"__proto__"', '"top_p"'];

describe.each([
  ['messages', NATIVE_MESSAGES, 'messages'],
  ['responses', NATIVE_RESPONSES, 'input'],
])('the body of a call in %s', (_name, { fields, limitField, imposedOn }, prompt) => {
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n');
  const member = (name: string, value: fc.Arbitrary<string>) =>
    fc.record({
      ...{ name: fc.constant(name), value },
      ...{ before: space, between: space.map((blank) => `${blank}:${blank}`), after: space },
    });
  type Member = { name: string; value: string; before: string; between: string; after: string };
  const others = fc.array(
    fc.constantFrom(...NAMES).chain((name) => member(name, ODD)),
    { maxLength: 6 },
  );
  // Inside of the prompt every name may be given once.
  const unique = ODD.filter((value) => !value.includes('"b":3'));
  const deciding = fc.tuple(
    member('"model"', fc.constant('"m"')),
    member(`"${prompt}"`, unique),
    fc.option(member(`"${limitField}"`, fc.constantFrom('1.0', '5', 'null')), { nil: undefined }),
    fc.option(member('"store"', fc.constantFrom('true', 'false')), { nil: undefined }),
  );
  const given = fc.tuple(others, deciding).chain(([free, fixed]) =>
    fc.shuffledSubarray([...free, ...fixed.filter((one) => one !== undefined)], {
      minLength: free.length + fixed.filter((one) => one !== undefined).length,
    }),
  );
  const textOf = (members: Member[], inserted: string[] = []) => {
    const parts = members.map(
      ({ name, value, before, between, after }) => before + name + between + value + after,
    );
    return `{${[...inserted, ...parts].join(',')}}`;
  };

  it('keeps every byte but the values that the gateway sets', () => {
    fc.assert(
      fc.property(given, fc.boolean(), (members, isLimited) => {
        const raw = Buffer.from(textOf(members));
        const store = members.find(({ name }) => name === '"store"')?.value;
        const set: Record<string, string | number | boolean> = {
          ...imposedOn({ store: store === undefined ? undefined : store === 'true' }),
          ...(isLimited && { [limitField]: 77 }),
          model: 'maker-1',
        };
        const sent = withFields({ raw, members: readJson(raw, { names: fields }).members }, set);
        const isGiven = (field: string) => members.some(({ name }) => name === `"${field}"`);
        const changed = members.map((one) => {
          const field = one.name.slice(1, -1);
          return Object.hasOwn(set, field) ? { ...one, value: JSON.stringify(set[field]) } : one;
        });
        const inserted = Object.entries(set).filter(([field]) => !isGiven(field));
        expect(sent.toString()).toBe(
          textOf(
            changed,
            inserted.map(([field, value]) => `"${field}":${JSON.stringify(value)}`),
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['model', limitField, prompt, 'stream', 'tools', 'service_tier'])('has %s once', (field) => {
    const raw = Buffer.from(
      `{"model":"m","${field}":1,"\\u00${field.charCodeAt(0).toString(16)}${field.slice(1)}":2}`,
    );
    expect(() => readJson(raw, { names: fields })).toThrow(JsonFault);
  });

  it.each([prompt, 'tools', 'tool_choice'])('has every name once in %s', (field) => {
    for (const value of ['{"x":1,"x":2}', '[{"a":{"b":[[{"c":1,"\\u0063":2}]]}}]', '{"":1,"":2}'])
      expect(() => readJson(Buffer.from(`{"${field}":${value}}`), { names: fields })).toThrow(JsonFault);
  });
});

describe.each([
  [
    'messages',
    readMessagesRequest,
    (junk: Fields) => ({
      messages: [
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hm.', ...('text' in junk && { signature: junk.text }) }],
        },
        {
          role: 'user',
          content: [{ type: 'text', text: 'x', ...('mark' in junk && { cache_control: junk.mark }) }],
        },
      ],
      tools: [
        {
          name: 'a',
          input_schema: { type: 'object' },
          ...('examples' in junk && { input_examples: junk.examples }),
        },
      ],
      ...('metadata' in junk && { metadata: junk.metadata }),
      max_tokens: 5,
    }),
  ],
  [
    'responses',
    readResponsesRequest,
    (junk: Fields) => ({
      input: [
        { role: 'user', content: 'Hello' },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          ...('text' in junk && { encrypted_content: junk.text }),
        },
        {
          role: 'user',
          content: [{ type: 'input_text', text: 'x', ...('mark' in junk && { logprobs: junk.mark }) }],
        },
      ],
      tools: [
        {
          type: 'function',
          name: 'a',
          parameters: {},
          ...('examples' in junk && { output_schema: junk.examples }),
        },
        { type: 'namespace', ...('metadata' in junk && { tools: junk.metadata }) },
      ],
    }),
  ],
] as const)('what the gateway counts of a call in %s', (protocol, read, bodyOf) => {
  const countOf = async (junk: Fields) => {
    const raw = Buffer.from(JSON.stringify({ model: 'm', ...bodyOf(junk) }));
    const body = await readBody(raw);
    const { chat, hasServerTools } = atOnce(read(body));
    const request = readProxyRequest('chat/completions', Buffer.from(body.write(chat)));
    request.native = { protocol, raw, hasServerTools };
    return {
      raw,
      native: promptTokens(request, true),
      translated: promptTokens(request),
      bounds: boundsOf(request, {}, true),
    };
  };

  it('is at least a token for four bytes of all that is left out, and never more than the bytes', async () => {
    const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' });
    const junks = fc.record(
      {
        text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        mark: value,
        examples: value,
        metadata: value,
      },
      { requiredKeys: [] },
    );
    const plain = await countOf({});
    await fc.assert(
      fc.asyncProperty(junks, async (junk) => {
        const { raw, native, translated, bounds } = await countOf(junk);
        const added = Object.values(junk).reduce<number>((sum, one) => sum + valueWeight(one), 0);
        expect(native).toBeGreaterThanOrEqual(Math.max(translated, plain.native + Math.floor(added / 4) - 1));
        expect(bounds.inputTokens).toBe(raw.length);
      }),
      { numRuns: 500 },
    );
  });
});

it('counts the memory of what is written of a long body, and of no short one', async () => {
  const counted = async (text: string) => {
    let bytes = 0;
    const reserve = (more: number) => void (bytes += more);
    const body = await readBody(Buffer.from(text), { beforeSlice: () => undefined, reserve });
    const written = await body.writeWhole(body.fields);
    expect(written.toString()).toBe(text);
    return bytes;
  };
  const others = '"seed":1e400,"x":[-12345678901234567890,0.10000000000000000001],"__proto__":{"a":1}';
  const long = `{${others},"a":"${'a'.repeat(1_000_000)}"}`;
  expect(await counted(long)).toBeGreaterThanOrEqual(long.length);
  expect(await counted('{"a":"a"}')).toBe(0);
});
