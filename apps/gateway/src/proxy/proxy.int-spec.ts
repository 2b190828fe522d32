import { type UnitRate } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { type TestAccount } from '@inference/testing';
import OpenAI from 'openai';
import { costOf, eventsOf, RATES, startUpstream, TestSite } from '../testing/gateway.fixture';

/** Successful requests with the official SDK, and their cost. */

const MINI: UnitRate[] = [
  { unit: 'per_million_tokens', ratePicos: 70_000n },
  { unit: 'per_request', ratePicos: 1_000_000_000n },
];
const EMBED: UnitRate[] = [{ unit: 'per_million_input_tokens', ratePicos: 20_000n }];
const MODELS = {
  'sandbox-chat': RATES,
  'sandbox-mini': MINI,
  'sandbox-embed': EMBED,
  'acme/house-model': RATES,
  'sandbox-chat+zero-usage': RATES,
  'sandbox-chat+no-usage': RATES,
  'sandbox-chat+no-usage+tokens=7': RATES,
};
const PROMPT = [{ role: 'user' as const, content: 'Say something about the sea.' }];
/** Tokens as the sandbox engine counts them: one for each word and four for the message. */
const PROMPT_TOKENS = 9;

let site: TestSite;
let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  site = await TestSite.start(MODELS, {}, (engine) => [
    {
      name: 'engine',
      base_url: `${engine}/`,
      models: Object.keys(MODELS).filter((slug) => slug.startsWith('sandbox')),
    },
    { name: 'house', base_url: engine, models: { 'acme/house-model': 'sandbox-chat+tokens=5' } },
  ]);
});
beforeEach(async () => {
  account = await site.account();
  client = clientOf(account.apiKey);
});
afterAll(() => site.stop());

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
const textOf = (chunks: OpenAI.ChatCompletionChunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

describe('POST /v1/chat/completions', () => {
  it('returns a plain answer and bills the tokens that the upstream reports', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'sandbox-chat', messages: PROMPT, max_tokens: 9 })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'length', message: { role: 'assistant' } });
    expect(data.usage).toMatchObject({ prompt_tokens: PROMPT_TOKENS, completion_tokens: 9 });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const cost = costOf(RATES, PROMPT_TOKENS, 9);
    expect(data.usage).toMatchObject({
      cost: Number(picosToDecimal(cost)),
      cost_details: [
        { meter: 'input', unit: 'per_million_input_tokens', quantity: 0.000009, price: 0.15 },
        { meter: 'output', unit: 'per_million_output_tokens', quantity: 0.000009, price: 0.6 },
      ],
    });
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      {
        request_id: response.headers.get('x-inference-request-id'),
        api_key_id: account.apiKeyId,
        model: 'sandbox-chat',
        entrypoint: 'gateway',
        endpoint: 'chat/completions',
        upstream: 'engine',
        outcome: 'completed',
        input_tokens: BigInt(PROMPT_TOKENS),
        output_tokens: 9n,
        estimated: false,
        cost_picos: cost,
        cost_usd_picos: cost,
      },
    ]);
    await site.expectCharged(account, cost);
  });

  it('streams without the usage if the client did not ask for it, at the same cost', async () => {
    const chunks = await collect(
      await client.chat.completions.create({
        model: 'sandbox-chat',
        messages: PROMPT,
        max_tokens: 9,
        stream: true,
      }),
    );
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
    expect(textOf(chunks).trim().split(/\s+/)).toHaveLength(9);
    expect(chunks.at(-1)!.choices[0]!.finish_reason).toBe('length');
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      { outcome: 'completed', input_tokens: BigInt(PROMPT_TOKENS), output_tokens: 9n, estimated: false },
    ]);
    await site.expectCharged(account, costOf(RATES, PROMPT_TOKENS, 9));
  });

  it('returns the same text streamed and plain', async () => {
    const body = { model: 'sandbox-chat', messages: PROMPT };
    const whole = await client.chat.completions.create(body);
    const chunks = await collect(await client.chat.completions.create({ ...body, stream: true }));
    expect(textOf(chunks)).toBe(whole.choices[0]!.message.content);
    // Without a limit the sandbox engine answers with 64 words.
    await site.expectCharged(account, 2n * costOf(RATES, PROMPT_TOKENS, 64));
  });

  it.each([
    [true, true],
    [false, false],
    [null, false],
  ])('a stream with include_usage %j reports the usage: %j', async (include_usage, reported) => {
    const chunks = await collect(
      await client.chat.completions.create({
        model: 'sandbox-chat',
        messages: PROMPT,
        max_tokens: 4,
        stream: true,
        stream_options: { include_usage } as OpenAI.ChatCompletionStreamOptions,
      }),
    );
    const last = chunks.at(-1)!;
    expect(last.usage ?? null).toEqual(
      reported
        ? expect.objectContaining({
            prompt_tokens: PROMPT_TOKENS,
            completion_tokens: 4,
            cost: Number(picosToDecimal(costOf(RATES, PROMPT_TOKENS, 4))),
          })
        : null,
    );
    expect(last.choices).toHaveLength(reported ? 0 : 1);
    await site.expectCharged(account, costOf(RATES, PROMPT_TOKENS, 4));
  });

  it('bills all answers of a request for several', async () => {
    const body = { model: 'sandbox-chat', messages: PROMPT, max_tokens: 6, n: 3 };
    const whole = await client.chat.completions.create(body);
    expect(whole.choices).toHaveLength(3);
    const chunks = await collect(await client.chat.completions.create({ ...body, stream: true }));
    const finished = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.finish_reason);
    expect(finished.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    await site.expectCharged(account, 2n * costOf(RATES, PROMPT_TOKENS, 18));
  });

  it('supports tool calls', async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: 'function',
        function: { name: 'look_up', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
      },
    ];
    const messages = [{ role: 'user' as const, content: 'Use the tool.' }];
    const body = { model: 'sandbox-chat', messages, tools };
    const whole = await client.chat.completions.create(body);
    expect(whole.choices[0]!.finish_reason).toBe('tool_calls');
    const called = whole.choices[0]!.message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
    expect(called.function.name).toBe('look_up');
    const chunks = await collect(await client.chat.completions.create({ ...body, stream: true }));
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls.map((call) => call.function?.arguments ?? '').join('')).toBe(called.function.arguments);
    const { prompt_tokens, completion_tokens } = whole.usage!;
    await site.expectCharged(account, 2n * costOf(RATES, prompt_tokens, completion_tokens));
  });

  it('sends the body unchanged to the upstream, except for fields that the gateway sets', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end('{ "odd" : 1.0, "choices":[], "usage":{"prompt_tokens":1,"completion_tokens":1}}');
    });
    const scripted = await TestSite.start({ m: RATES }, {}, () => [
      { name: 'u', base_url: upstream.url, api_key: 'upstream-secret' },
    ]);
    const { apiKey } = await scripted.account();
    const given = '{ "model":"m", "messages":[ ], "seed":12345678901234567890,\n"max_tokens":5 }';
    const answer = await scripted.post('/v1/chat/completions', apiKey, given, {
      headers: { 'X-Request-Id': 'mine' },
    });
    expect(await answer.text()).toEqual(
      expect.stringMatching(
        /^\{ "odd" : 1\.0, "choices":\[\], "usage":\{"prompt_tokens":1,"completion_tokens":1,"cost":0\.00000075,[^}]*\},[^}]*\}\]\}\}$/,
      ),
    );
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('x-inference-request-id'));
    await scripted.post('/v1/chat/completions', apiKey, '{"model":"m","messages":[]}');
    expect(upstream.bodies).toEqual([given, '{"model":"m","messages":[]}']);
    expect(upstream.headers[0]).toMatchObject({ authorization: 'Bearer upstream-secret' });
    expect(JSON.stringify(upstream.headers)).not.toContain(apiKey);
    await scripted.stop();
    await upstream.close();
  });
});

describe('the other endpoints', () => {
  it('complete a text, streamed or not', async () => {
    const body = { model: 'sandbox-mini', prompt: 'Once upon a time', max_tokens: 5 };
    const whole = await client.completions.create(body);
    const chunks = await collect(await client.completions.create({ ...body, stream: true }));
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(whole.choices[0]!.text);
    expect(whole.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 5 });
    const cost = costOf(MINI, 4, 5);
    expect(cost).toBe(9n * 70_000n + 1_000_000_000n);
    await site.expectCharged(account, 2n * cost);
  });

  it('complete several texts at once', async () => {
    const body = { model: 'sandbox-mini', prompt: ['one two', 'three'], max_tokens: 5, n: 2 };
    const whole = await client.completions.create(body);
    expect(whole.choices).toHaveLength(4);
    const chunks = await collect(await client.completions.create({ ...body, stream: true }));
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason)).toHaveLength(4);
    await site.expectCharged(account, 2n * costOf(MINI, 3, 20));
  });

  it('embed texts, as numbers or as base64', async () => {
    const input = ['the sea', 'a boat on it'];
    const floats = await client.embeddings.create({
      model: 'sandbox-embed',
      input,
      encoding_format: 'float',
    });
    // The SDK requests base64 by default and decodes it.
    const decoded = await client.embeddings.create({ model: 'sandbox-embed', input });
    expect(floats.data).toHaveLength(2);
    expect(decoded.data[1]!.embedding).toHaveLength(floats.data[1]!.embedding.length);
    decoded.data[1]!.embedding.forEach((value, i) =>
      expect(value).toBeCloseTo(floats.data[1]!.embedding[i]!, 5),
    );
    expect(floats.usage).toMatchObject({
      prompt_tokens: 6,
      total_tokens: 6,
      cost: Number(picosToDecimal(costOf(EMBED, 6, 0))),
    });
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      { endpoint: 'embeddings', input_tokens: 6n, output_tokens: 0n, estimated: false },
      { endpoint: 'embeddings', input_tokens: 6n, output_tokens: 0n, estimated: false },
    ]);
    await site.expectCharged(account, 2n * costOf(EMBED, 6, 0));
  });
});

describe('usage', () => {
  it('is charged under the published name of a model that has another name at the upstream', async () => {
    const answer = await client.chat.completions.create({ model: 'acme/house-model', messages: PROMPT });
    expect(answer.usage!.completion_tokens).toBe(5);
    const streamed = await client.chat.completions.create({
      model: 'acme/house-model',
      messages: PROMPT,
      stream: true,
    });
    await collect(streamed);
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      { model: 'acme/house-model', upstream: 'house', output_tokens: 5n },
      { model: 'acme/house-model', upstream: 'house', output_tokens: 5n },
    ]);
    await site.expectCharged(account, 2n * costOf(RATES, PROMPT_TOKENS, 5));
  });

  it('a reported usage of zero costs nothing', async () => {
    const body = { model: 'sandbox-chat+zero-usage', messages: PROMPT };
    await client.chat.completions.create(body);
    await collect(await client.chat.completions.create({ ...body, stream: true }));
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      { input_tokens: 0n, output_tokens: 0n, estimated: false, outcome: 'completed' },
      { input_tokens: 0n, output_tokens: 0n, estimated: false, outcome: 'completed' },
    ]);
    await site.expectCharged(account, 0n);
    const { rows } = await site.pool.query<{ usage_fault: string }>(
      'SELECT DISTINCT usage_fault FROM metering.usage_events WHERE account_id = $1',
      [account.accountId],
    );
    expect(rows).toEqual([{ usage_fault: 'no_output_tokens' }]);
  });

  it('estimates a usage that the upstream does not report, within the hold', async () => {
    const body = { model: 'sandbox-chat+no-usage+tokens=7', messages: PROMPT };
    await client.chat.completions.create(body);
    await collect(await client.chat.completions.create({ ...body, stream: true }));
    await client.chat.completions.create({ ...body, model: 'sandbox-chat+no-usage', max_tokens: 3 });
    const events = await eventsOf(site.pool, account.accountId);
    const [whole, streamed, limited] = events;
    expect(events).toHaveLength(3);
    expect(whole).toMatchObject({ estimated: true, outcome: 'completed' });
    // Seven common words, some of which are two tokens of the vocabulary.
    expect(whole!.output_tokens).toBeGreaterThanOrEqual(7n);
    expect(whole!.output_tokens).toBeLessThanOrEqual(14n);
    expect(whole!.input_tokens).toBeGreaterThanOrEqual(6n);
    expect(whole!.input_tokens).toBeLessThanOrEqual(PROMPT_TOKENS + 4);
    expect(streamed).toMatchObject({
      estimated: true,
      input_tokens: whole!.input_tokens,
      output_tokens: whole!.output_tokens,
    });
    expect(limited!.output_tokens).toBe(3n);
    const cost = events.reduce(
      (sum, e) => sum + costOf(RATES, Number(e.input_tokens), Number(e.output_tokens)),
      0n,
    );
    await site.expectCharged(account, cost);
  });
});
