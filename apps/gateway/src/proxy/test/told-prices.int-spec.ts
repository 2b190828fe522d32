import { type ServerResponse } from 'node:http';
import { type UnitRate } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { metricsOf, type TestAccount, valueOf, waitFor } from '@inference/testing';
import { costOf, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';

/** Answers that tell their price, and reports of usage that are not complete or contradict themselves. */

const RATES: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 150_000n },
  { unit: 'per_million_output_tokens', ratePicos: 600_001n },
];
const WITH_CACHE: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 150_000n },
  { unit: 'per_million_cached_input_tokens', ratePicos: 15_000n },
  { unit: 'per_million_output_tokens', ratePicos: 600_000n },
];
const USAGE = '{"prompt_tokens":1234,"completion_tokens":3,"total_tokens":1237}';
/** What stands there in other bytes after it was parsed and written again. */
const ODD = '{ "seed":12345678901234567890 , "p" : 1.0,"text":"\\u00e9é\\/ \\"usage\\":{}"}';
const BILLED = { input: 1_234, output: 3 };
const TOLD =
  `"cost":${picosToDecimal(costOf(RATES, BILLED.input, BILLED.output))},"cost_details":[` +
  '{"meter":"input","quantity":0.001234,"unit":"per_million_input_tokens","price":0.15,"cost":0.0001851},' +
  '{"meter":"output","quantity":0.000003,"unit":"per_million_output_tokens","price":0.600001,"cost":0.000001800003}]';
const PRICED = `${USAGE.slice(0, -1)},${TOLD}}`;

const choice = (fields: string) => `"choices":[{"index":0,${fields}}]`;
const MESSAGE = choice('"message":{"role":"assistant","content":"one two three"},"finish_reason":"stop"');
const plain = (usage: string | null) =>
  `{"odd":${ODD},${MESSAGE}${usage === null ? '' : `,"usage":${usage}`},"x":1.0}`;
const event = (data: string) => `data: ${data}\n\n`;
const going = event(`{${choice('"delta":{"content":"one two three"},"finish_reason":null')},"usage":null}`);
const unasked = going.replace(',"usage":null', '');
const end = event(`{${choice('"delta":{},"finish_reason":"stop"')}}`);
const usageEvent = (usage: string) => event(`{"odd":${ODD},"choices":[],"usage":${usage}}`);
const DONE = event('[DONE]');
const FINISH = `{${choice('"delta":{},"finish_reason":"stop"')},"usage":${USAGE}}`;

const PLAIN: Record<string, string> = {
  usage: plain(USAGE),
  'own-price': plain(`{"cost":0.5,${USAGE.slice(1, -1)}}`),
  'no-usage': plain(null),
  'null-usage': plain('null'),
  'no-completion': plain('{"prompt_tokens":1234,"total_tokens":1234}'),
  contradictory: plain('{"prompt_tokens":10,"completion_tokens":5,"total_tokens":100}'),
  hostile: plain(
    '{"prompt_tokens":-1,"completion_tokens":1e30,"total_tokens":-5,"prompt_tokens_details":[5]}',
  ),
  cached: plain(
    '{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":90},"completion_tokens_details":{"reasoning_tokens":4}}',
  ),
  chatty: plain('{"prompt_tokens":0,"completion_tokens":500}'),
};
const STREAMS: Record<string, string> = {
  'own-chunk': going + end + usageEvent(USAGE) + DONE,
  'with-the-end': going + event(FINISH) + DONE,
  'every-chunk': usageEvent('{"prompt_tokens":0,"completion_tokens":0}') + going + event(FINISH) + DONE,
  'zeros-behind':
    going + end + usageEvent(USAGE) + usageEvent('{"prompt_tokens":0,"completion_tokens":0}') + DONE,
  'no-finish': going + usageEvent(USAGE) + DONE,
  'early-zeros': usageEvent('{"prompt_tokens":1234,"completion_tokens":0}') + going + end + DONE,
  'in-x-groq':
    going + event(`{${choice('"delta":{},"finish_reason":"stop"')},"x_groq":{"usage":${USAGE}}}`) + DONE,
  'no-report': going + end + DONE,
  broken: going + usageEvent(USAGE),
};

let site: TestSite;
let upstream: ScriptedUpstream;
let account: TestAccount;

function sendStream(response: ServerResponse, model: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(STREAMS[model]);
  if (model === 'broken') setTimeout(() => response.destroy(), 50);
  else response.end();
}

beforeAll(async () => {
  upstream = await startUpstream((_request, response, body) => {
    const { model } = JSON.parse(body) as { model: string };
    if (STREAMS[model]) return sendStream(response, model);
    return void response.setHeader('Content-Type', 'application/json').end(PLAIN[model]);
  });
  const models = [...Object.keys(PLAIN), ...Object.keys(STREAMS)];
  const prices = { ...Object.fromEntries(models.map((model) => [model, RATES])), cached: WITH_CACHE };
  site = await TestSite.start(prices, {}, () => [{ name: 'scripted', base_url: upstream.url }]);
});
beforeEach(async () => (account = await site.account()));
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

const chat = (model: string, more: object = {}) =>
  site.post('/v1/chat/completions', account.apiKey, {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 1_000,
    ...more,
  });
const ASKED = { stream: true, stream_options: { include_usage: true } };

async function keepPricesOut(): Promise<void> {
  await site.pool.query('UPDATE accounts.api_keys SET reports_cost = false WHERE id = $1', [
    account.apiKeyId,
  ]);
}

describe('a plain answer', () => {
  it('tells its price in its usage; every other byte is the upstream’s', async () => {
    const response = await chat('usage');
    const text = await response.text();
    expect(text).toBe(PLAIN.usage!.replace(USAGE, PRICED));
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(response.headers.get('x-cost')).toBeNull();
    const { cost_picos: cost } = await site.onlyEvent(account);
    expect(text).toContain(`"cost":${picosToDecimal(cost)},`);
    await site.expectCharged(account, costOf(RATES, BILLED.input, BILLED.output));
  });

  it('tells each kind of token at its price, or at that of its parent', async () => {
    const { usage } = (await (await chat('cached')).json()) as { usage: object };
    expect(usage).toMatchObject({
      cost: 0.00000885,
      cost_details: [
        { meter: 'input', quantity: 0.00001, unit: 'per_million_input_tokens', price: 0.15 },
        { meter: 'cached_input', quantity: 0.00009, unit: 'per_million_cached_input_tokens', price: 0.015 },
        { meter: 'output', quantity: 0.000006, unit: 'per_million_output_tokens', price: 0.6 },
        { meter: 'reasoning', quantity: 0.000004, unit: 'per_million_output_tokens', price: 0.6 },
      ],
    });
    await site.expectCharged(account, 8_850_000n);
  });

  it('does not tell what the upstream charges', async () => {
    expect(await (await chat('own-price')).text()).toBe(PLAIN.usage!.replace(USAGE, PRICED));
    await keepPricesOut();
    await waitFor(async () => (await (await chat('own-price')).text()) === PLAIN.usage);
  });

  it.each(['no-usage', 'null-usage'])(
    'tells its price in a header where it has no usage object: %s',
    async (model) => {
      const response = await chat(model);
      expect(await response.text()).toBe(PLAIN[model]);
      const { cost_picos: cost, estimated } = await site.onlyEvent(account);
      expect([response.headers.get('x-cost'), estimated]).toEqual([picosToDecimal(cost), true]);
    },
  );

  it('is the upstream’s with a key that keeps the price out, within a second of the change', async () => {
    await (await chat('usage')).text();
    await keepPricesOut();
    const changedAt = performance.now();
    await waitFor(async () => (await (await chat('usage')).text()) === PLAIN.usage);
    // A lookup of a key is cached for three seconds.
    expect(performance.now() - changedAt).toBeLessThan(2_500);
    expect((await chat('no-usage')).headers.get('x-cost')).toBeNull();
  });

  it('tells what was charged, also where the wallet did not cover what was served', async () => {
    const limit = { max_tokens: 2 };
    const worst = costOf(RATES, 100, 2);
    account = await site.account(worst);
    const text = await (await chat('chatty', limit)).text();
    const { cost_picos: cost, output_tokens: tokens } = await site.onlyEvent(account);
    expect(tokens).toBe(2n);
    expect(text).toContain(`"cost":${picosToDecimal(cost)},`);
  });
});

describe('a stream', () => {
  it.each([
    ['own-chunk', STREAMS['own-chunk']!.replace(USAGE, PRICED)],
    ['with-the-end', STREAMS['with-the-end']!.replace(USAGE, PRICED)],
    ['every-chunk', STREAMS['every-chunk']!.replace(USAGE, PRICED)],
    ['no-finish', STREAMS['no-finish']!.replace(USAGE, PRICED)],
    [
      'zeros-behind',
      STREAMS['zeros-behind']!.replace('"completion_tokens":0}', `"completion_tokens":0,${TOLD}}`),
    ],
    ['in-x-groq', STREAMS['in-x-groq']!],
  ])('tells its price in the last usage that the client asked for: %s', async (model, expected) => {
    expect(await (await chat(model, ASKED)).text()).toBe(expected);
    await site.expectCharged(account, costOf(RATES, BILLED.input, BILLED.output));
    expect(await site.onlyEvent(account)).toMatchObject({ estimated: false, outcome: 'completed' });
  });

  it.each([
    ['own-chunk', unasked + end + DONE],
    ['no-report', unasked + end + DONE],
  ])('gets no chunk that the client did not ask for: %s', async (model, expected) => {
    expect(await (await chat(model, { stream: true })).text()).toBe(expected);
  });

  it('is the upstream’s with a key that keeps the price out', async () => {
    await keepPricesOut();
    expect(await (await chat('own-chunk', ASKED)).text()).toBe(STREAMS['own-chunk']);
  });

  it('that breaks off tells the price of what it reported', async () => {
    const text = await (await chat('broken', ASKED)).text();
    expect(text.startsWith(STREAMS.broken!.replace(USAGE, PRICED))).toBe(true);
    expect(text).toContain('"error"');
    expect(text).not.toContain('[DONE]');
    expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'interrupted' });
    await site.expectCharged(account, costOf(RATES, BILLED.input, BILLED.output));
  });
});

describe.each([
  ['/v1/responses', { input: 'Hello', max_output_tokens: 1_000 }],
  ['/v1/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1_000 }],
])('%s', (path, body) => {
  const ask = async (model: string, stream: boolean) =>
    (await site.post(path, account.apiKey, { model, stream, ...body })).text();

  it.each([
    ['usage', false],
    ['own-price', false],
    ['own-chunk', true],
    ['with-the-end', true],
  ])('tells the price in the last usage: %s, stream: %s', async (model, stream) => {
    const text = await ask(model, stream);
    expect(text.match(/"cost":[\d.]+,"cost_details"/g)).toHaveLength(1);
    expect(text).toContain(TOLD);
    await site.expectCharged(account, costOf(RATES, BILLED.input, BILLED.output));
  });

  it('tells none with a key that keeps it out', async () => {
    await keepPricesOut();
    await waitFor(async () => !(await ask('own-price', false)).includes('"cost'));
    expect(await ask('own-chunk', true)).not.toContain('"cost');
  });
});

describe('a report', () => {
  it('without completion tokens is not charged as an answer of none', async () => {
    const { usage } = (await (await chat('no-completion')).json()) as { usage: { cost: number } };
    const charged = await site.onlyEvent(account);
    expect(charged).toMatchObject({ input_tokens: 1_234n, output_tokens: 3n, estimated: true });
    expect(usage.cost).toBe(Number(picosToDecimal(charged.cost_picos)));
  });

  it('of a prompt before the answer does not count as its end', async () => {
    await (await chat('early-zeros', ASKED)).text();
    expect(await site.onlyEvent(account)).toMatchObject({
      input_tokens: 1_234n,
      output_tokens: 3n,
      estimated: true,
    });
  });

  it('that contradicts itself is charged by its larger figure and counted', async () => {
    const series = 'gateway_faulty_usage_total{upstream="scripted",fault="total_above_parts"}';
    await (await chat('contradictory')).text();
    expect(await site.onlyEvent(account)).toMatchObject({
      input_tokens: 10n,
      output_tokens: 90n,
      estimated: false,
    });
    expect(valueOf(await metricsOf(site.gateway.app), series)).toBe(1);
    const { rows } = await site.pool.query(
      'SELECT usage_fault FROM metering.usage_events WHERE account_id = $1',
      [account.accountId],
    );
    expect(rows).toEqual([{ usage_fault: 'total_above_parts' }]);
  });

  it('of hostile values is answered, and what it does not tell is counted', async () => {
    const response = await chat('hostile');
    expect(response.status).toBe(200);
    expect((await response.json()) as object).toMatchObject({ usage: { cost: expect.any(Number) } });
    const { input_tokens: input, output_tokens: output, estimated } = await site.onlyEvent(account);
    expect([input > 0n, output, estimated]).toEqual([true, 3n, true]);
  });
});
