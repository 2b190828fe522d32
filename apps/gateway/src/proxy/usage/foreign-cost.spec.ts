import { longestTurnOf } from '@inference/testing';
import fc from 'fast-check';
import { eventWithoutForeignCost, hasForeignCost, withoutForeignCost } from './foreign-cost';

const PRICE = { cost: 0.5, cost_details: { upstream_inference_cost: [1, { cost: 2 }] } };
/** Of the time in which it is parsed at once. */
const MOST_PART = 0.5;

describe('what an upstream charges the operator', () => {
  it.each<[string, string]>([
    [
      '{ "choices": [{"usage": {"prompt_tokens": 1, "cost": 0.5}, "cost": 1.0 }], "x": 1e400}',
      '{ "choices": [{"usage": {"prompt_tokens":1}, "cost": 1.0 }], "x": 1e400}',
    ],
    [
      '{"x_groq":{"id":"[{\\"","usage":{"cost":1,"cost_details":[{"a":[]}]}}}',
      '{"x_groq":{"id":"[{\\"","usage":{}}}',
    ],
    [
      '{"choices":[{"usage":null},{"message":{"content":"\\"usage\\":{\\"cost\\":1}"},"usage":{"cost":1,"é":"é"}}]}',
      '{"choices":[{"usage":null},{"message":{"content":"\\"usage\\":{\\"cost\\":1}"},"usage":{"é":"é"}}]}',
    ],
    ['{"\\u0078_groq":{"us\\u0061ge":{"c\\u006fst":1}}}', '{"\\u0078_groq":{"us\\u0061ge":{}}}'],
  ])('is taken out of %s', async (json, expected) => {
    expect(hasForeignCost(JSON.parse(json.replace('1e400', '1')) as object)).toBe(true);
    expect((await withoutForeignCost(Buffer.from(json))).toString()).toBe(expected);
  });

  it('is taken out of an event', () => {
    const event = (data: string) => Buffer.from(data).toString('latin1');
    expect(eventWithoutForeignCost(event('id: 1\ndata: {"x_groq":{"usage":{"cost":1,"a":"é"}}}\n\n'))).toBe(
      event('id: 1\ndata: {"x_groq":{"usage":{"a":"é"}}}\n\n'),
    );
    expect(eventWithoutForeignCost(event('data:{"x_groq":{"usage":{"cost":1}}}\n\n'))).toBe(
      event('data:{"x_groq":{"usage":{}}}\n\n'),
    );
    expect(eventWithoutForeignCost(event('event: x\ndata:{"x_groq":\ndata:{"usage":{"cost":1}}}\n\n'))).toBe(
      event('data: {"x_groq": {"usage":{}}}\nevent: x\n\n'),
    );
  });

  it('is taken out of a long answer, in slices', async () => {
    const texts = ['A'.repeat(12_000_000), '\\"'.repeat(200_000)];
    const json = Buffer.from(
      `{"choices":[{"message":{"content":"${texts[0]}"},"usage":{"a":1,"cost":2}}],"x":["${texts[1]}"${',{}'.repeat(400_000)}]}`,
    );
    const result = await withoutForeignCost(json);
    expect(result.equals(Buffer.from(json.toString('latin1').replace(',"cost":2', ''), 'latin1'))).toBe(true);
    const part = await longestTurnOf(
      () => withoutForeignCost(json),
      () => JSON.parse(json.toString('latin1')) as unknown,
      MOST_PART,
    );
    expect(part).toBeLessThan(MOST_PART);
  });

  it('is taken out of any answer, and nothing else', async () => {
    const value = fc.jsonValue();
    await fc.assert(
      fc.asyncProperty(value, value, value, fc.nat(2), async (before, inside, behind, indent) => {
        const usage = { inside, ...PRICE };
        const answer = {
          before,
          choices: [{ before, usage }, { usage: behind }],
          x_groq: { before, usage },
          behind,
        };
        const priced = JSON.parse(JSON.stringify(answer)) as typeof answer;
        const result: unknown = JSON.parse(
          (await withoutForeignCost(Buffer.from(JSON.stringify(answer, null, indent)))).toString(),
        );
        const rest = priced.choices[1]!.usage as unknown;
        if (rest !== null && typeof rest === 'object' && !Array.isArray(rest)) {
          Reflect.deleteProperty(rest, 'cost');
          Reflect.deleteProperty(rest, 'cost_details');
        }
        const kept = { inside: priced.x_groq.usage.inside };
        expect(result).toEqual({
          ...priced,
          choices: [{ before: priced.before, usage: kept }, { usage: rest }],
          x_groq: { before: priced.before, usage: kept },
        });
      }),
    );
  });

  it('is not looked for where there is none', () => {
    for (const answer of [
      {},
      { choices: 7 },
      { choices: [null, { usage: { a: 1 } }], x_groq: null },
      { usage: PRICE },
    ])
      expect(hasForeignCost(answer)).toBe(false);
  });
});
