import fc from 'fast-check';
import { charge, type Charge } from '@inference/metering';
import { parseExact, stringifyExact } from '@inference/money';
import { longestTurnOf } from '@inference/testing';
import { answerWithCost, eventWithCost, readWithCost, withCost } from './usage-cost';

const CHARGE = charge(
  [
    { unit: 'per_million_input_tokens', ratePicos: 150_000n },
    { unit: 'per_million_output_tokens', ratePicos: 600_001n },
    { unit: 'per_request', ratePicos: 3n },
  ],
  { counts: { request: 1, input: 1_234, output: 7 }, serviceTier: null },
  10n ** 10n,
);
const ADDED =
  '"cost":0.00018930001,"cost_details":[' +
  '{"meter":"input","quantity":0.001234,"unit":"per_million_input_tokens","price":0.15,"cost":0.0001851},' +
  '{"meter":"output","quantity":0.000007,"unit":"per_million_output_tokens","price":0.600001,"cost":0.000004200007},' +
  '{"meter":"request","quantity":1,"unit":"per_request","price":0.000000000003,"cost":0.000000000003}]';

const MOST_PART = 0.5;

const priced = (json: string, of: Charge | null = CHARGE) => withCost(Buffer.from(json), of).toString();

describe('an answer with its price', () => {
  it.each([
    [
      'at its end',
      '{"choices":[],"usage":{"prompt_tokens":1}}',
      '{"choices":[],"usage":{"prompt_tokens":1,$}}',
    ],
    [
      'in front',
      '{"usage":{"a":1},"choices":[{"text":"x"}]}',
      '{"usage":{"a":1,$},"choices":[{"text":"x"}]}',
    ],
    ['empty', '{"usage":{}}', '{"usage":{$}}'],
    ['empty with white space', '{"usage": { } }', '{"usage": {$ } }'],
    ['over lines', '{\n "usage" :\t{\r\n "a": 1\n }\n}\n', '{\n "usage" :\t{\r\n "a": 1,$\n }\n}\n'],
    ['twice', '{"usage":{"a":1},"usage":{"b":2}}', '{"usage":{"a":1},"usage":{"b":2,$}}'],
    ['with an escaped name', '{"us\\u0061ge":{"a":1}}', '{"us\\u0061ge":{"a":1,$}}'],
    [
      'beside others of its name',
      '{"choices":[{"usage":{"n":1},"message":{"content":"\\"usage\\":{}"}}],"usage":{"a":{"usage":{}}},"x_groq":{"usage":{"n":1}}}',
      '{"choices":[{"usage":{"n":1},"message":{"content":"\\"usage\\":{}"}}],"usage":{"a":{"usage":{}},$},"x_groq":{"usage":{"n":1}}}',
    ],
    [
      'behind a text with quotes',
      '{"a":"\\\\\\"}\\\\","usage":{"a":"\\\\"}}',
      '{"a":"\\\\\\"}\\\\","usage":{"a":"\\\\",$}}',
    ],
    [
      'with the price of the upstream',
      '{"usage":{"a":1,"cost":0.95,"cost_details":{"upstream_inference_cost":[1]},"é":"ü"},"b":1.0}',
      '{"usage":{"a":1,"é":"ü",$},"b":1.0}',
    ],
    ['with nothing but the price of the upstream', '{"usage":{"cost":1}}', '{"usage":{$}}'],
  ])('has it in a usage %s', (_where, json, expected) => {
    expect(priced(json)).toBe(expected.replace('$', () => ADDED));
    expect(JSON.parse(priced(json))).toMatchObject({ usage: { cost: 0.00018930001 } });
  });

  it.each([
    '{"choices":[]}',
    '{}',
    ' {} ',
    '{"usage":null}',
    '{"usage":[]}',
    '{"usage":"{}"}',
    '{"usage":{"a":1},"usage":null}',
    '{"a":{"usage":{}}}',
    '{"a":["usage",{"usage":{}}]}',
    '{"a":"usage"}',
  ])('is as it was without a usage object: %s', (json) => {
    const bytes = Buffer.from(json);
    expect(withCost(bytes, CHARGE)).toBe(bytes);
  });

  it('is as it was if no price is told, but for the price of the upstream', () => {
    const bytes = Buffer.from('{"usage":{"a":1}}');
    expect(withCost(bytes, null)).toBe(bytes);
    expect(priced('{"x":1.0,"usage":{"cost":1,"a":2,"cost_rate":3}}', null)).toBe(
      '{"x":1.0,"usage":{"a":2,"cost_rate":3}}',
    );
  });

  it('is the same in every byte outside of its usage, whatever it holds', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('usage', 'cost', 'cost_details', '"usage":{', '\\', '"'),
    );
    const value = fc.jsonValue({ maxDepth: 3 });
    const members = fc.array(fc.tuple(name, value), { maxLength: 6 });
    const space = fc.constantFrom('', ' ', '\n', '\t\r\n ');
    const usage = fc.array(
      fc.tuple(
        name.filter((one) => one !== 'cost' && one !== 'cost_details'),
        value,
      ),
      { maxLength: 5 },
    );
    const write = (pairs: [string, unknown][], gap: string) =>
      pairs.map(([key, one]) => `${JSON.stringify(key)}${gap}:${gap}${JSON.stringify(one)}`);
    fc.assert(
      fc.property(members, usage, members, space, (before, inside, after, gap) => {
        const behind = after.filter(([key]) => key !== 'usage');
        const content = write(inside, gap).join(`${gap},${gap}`);
        const head = `{${[...write(before, gap), ''].join(',')}"usage"${gap}:${gap}{${gap}${content}`;
        const tail = `${gap}}${['', ...write(behind, gap)].join(`${gap},`)}}${gap}`;
        const result = priced(head + tail);
        const from = inside.length > 0 ? head.length : head.length - gap.length;
        const added = inside.length > 0 ? `,${ADDED}` : ADDED;
        expect(result).toBe(head.slice(0, from) + added + head.slice(from) + tail);
        const read = JSON.parse(result) as { usage: object };
        expect(read).toEqual({
          ...(JSON.parse(head + tail) as object),
          usage: expect.objectContaining({ cost: 0.00018930001 }),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    '{"usage":{"a":1,"cost":5},"data":[]}',
    '{"data":[],"usage":{}}',
    '{"usage":null}',
    '{"data":[]}',
  ])('is read as it is written: %s', (json) => {
    for (const told of [CHARGE, null])
      expect(stringifyExact(readWithCost(JSON.parse(json) as object, told))).toBe(priced(json, told));
  });

  const LONG_LIST = `[${Array(200_000).fill('1,{}').join(',')}]`;

  it.each([
    ['behind a long list', `{"data":${LONG_LIST},"usage":{"a":1}}`],
    ['before a long list', `{"usage":{"a":1},"data":${LONG_LIST}}`],
    ['before a long list, with an escaped name', `{"us\\u0061ge" : {"a":1} ,"data":${LONG_LIST}}`],
    ['before a long list, twice', `{"usage":{"a":1},"usage":{"a":2,"cost":5},"data":${LONG_LIST}}`],
    [
      'before a deep list',
      `{"usage":{"a":1,"cost":5},"x":${'['.repeat(200)}${']'.repeat(200)},"data":${LONG_LIST}}`,
    ],
    ['before a long list, empty', `{"usage":null,"data":${LONG_LIST}}`],
    ['that is missing', `{"data":${LONG_LIST},"x":{"usage":{}}}`],
  ])('is found in a long answer with a usage %s', async (_where, json) => {
    expect((await answerWithCost(Buffer.from(json), CHARGE)).equals(Buffer.from(priced(json)))).toBe(true);
  });

  it('is found in slices', async () => {
    const json = Buffer.from(`{"usage":{"a":1},"data":[${Array(12).fill(LONG_LIST).join(',')}]}`);
    const part = await longestTurnOf(
      () => answerWithCost(json, CHARGE),
      () => withCost(json, CHARGE),
      MOST_PART,
    );
    expect(part).toBeLessThan(MOST_PART);
  });

  it('tells minutes of audio that were counted in seconds', () => {
    const minutes = charge(
      [{ unit: 'per_audio_minute', ratePicos: 6_000_000_000n }],
      { counts: { audio_second: 90 }, serviceTier: null },
      10n ** 10n,
    );
    expect(JSON.parse(priced('{"usage":{}}', minutes))).toEqual({
      usage: {
        cost: 0.009,
        cost_details: [
          { meter: 'audio_second', quantity: 1.5, unit: 'per_audio_minute', price: 0.006, cost: 0.009 },
        ],
      },
    });
  });

  it('tells the price to the last digit', () => {
    const picos = fc.bigInt({ min: 0n, max: 10n ** 24n });
    const tokens = fc.nat({ max: 10 ** 9 });
    fc.assert(
      fc.property(picos, picos, tokens, tokens, (inRate, outRate, input, output) => {
        const made = charge(
          [
            { unit: 'per_million_input_tokens', ratePicos: inRate },
            { unit: 'per_million_output_tokens', ratePicos: outRate },
          ],
          { counts: { input, output }, serviceTier: null },
          10n ** 10n,
        );
        const { usage } = parseExact(priced('{"usage":{}}', made)) as { usage: Record<string, unknown> };
        const total = BigInt(input) * inRate + BigInt(output) * outRate;
        expect(picosIn(stringifyExact(usage.cost))).toBe(total);
        const details = usage.cost_details as Record<'quantity' | 'price' | 'cost', unknown>[];
        const sum = details.reduce((all, { cost }) => all + picosIn(stringifyExact(cost)), 0n);
        expect(sum).toBe(total);
      }),
    );
  });
});

/** Read here on its own: the point is moved by twelve digits. */
function picosIn(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

describe('an event with its price', () => {
  const json = '{"choices":[],"usage":{"a":"é"}}';
  const bytes = Buffer.from(json).toString('latin1');
  const added = Buffer.from(json.replace('é"', () => `é",${ADDED}`)).toString('latin1');

  it.each([
    [`data: ${bytes}\n\n`, `data: ${added}\n\n`],
    [`data:${bytes}\n\n`, `data:${added}\n\n`],
    [`event: x\nid: 5\ndata: ${bytes}\nretry: 1\n\n`, `event: x\nid: 5\ndata: ${added}\nretry: 1\n\n`],
    [
      'data: {"usage":\ndata:{"a":1\ndata: }\ndata: }\n\n',
      `data: {"usage":\ndata:{"a":1,${ADDED}\ndata: }\ndata: }\n\n`,
    ],
  ])('keeps its other bytes: %j', (event, expected) => {
    expect(eventWithCost(event, CHARGE)).toBe(expected);
  });

  it.each(['data: [DONE]\n\n', ': ping\n\n', `data: {"usage":\nid: 1\ndata: {}}\n\n`, 'data: {"a":1}\n\n'])(
    'is as it was without a usage object, or if it is written unusually: %j',
    (event) => expect(eventWithCost(event, CHARGE)).toBe(event),
  );
});
