import { type UnitRate } from '@inference/metering';
import { insertApiKey, type TestAccount } from '@inference/testing';
import {
  eventsOf,
  type Gateway,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../../testing/gateway.fixture';

/** Requests that name no limit of their answers: they are passed on without one as long as the money allows it. */

/** With a price for the output only, the cost of a limit is the limit times this. */
const RATE = 1_000n;
const OUTPUT_ONLY: UnitRate[] = [{ unit: 'per_million_output_tokens', ratePicos: RATE }];
const LONGEST = 10_000;
const MODEL_LIMITS = {
  m: { context_tokens: 20_000, max_output_tokens: LONGEST },
  reasoner: { max_output_tokens: LONGEST, output_limit_field: 'max_completion_tokens' },
  tiny: { context_tokens: 300, max_output_tokens: 200 },
};

let upstream: ScriptedUpstream;
let site: TestSite;
let second: Gateway;

beforeAll(async () => {
  upstream = await startUpstream((_request, response, text) => {
    const body = JSON.parse(text) as {
      max_tokens?: number | null;
      max_completion_tokens?: number;
      n?: number;
    };
    // Models without a limit say as much as they can.
    const tokens = (body.max_tokens ?? body.max_completion_tokens ?? LONGEST) * (body.n ?? 1);
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'length' }];
    const usage = { prompt_tokens: 1, completion_tokens: tokens };
    response.setHeader('Content-Type', 'application/json');
    setTimeout(() => response.end(JSON.stringify({ id: 'c', choices, usage })), 20);
  });
  const environment = { MODEL_LIMITS: JSON.stringify(MODEL_LIMITS) };
  const upstreams = () => [{ name: 'u', base_url: upstream.url }];
  site = await TestSite.start(
    {
      m: OUTPUT_ONLY,
      reasoner: OUTPUT_ONLY,
      tiny: [{ unit: 'per_million_tokens', ratePicos: RATE }],
      'm+free': [{ unit: 'per_million_tokens', ratePicos: 0n }],
    },
    environment,
    upstreams,
  );
  second = await startGateway({
    ...testEnvironment(site.database.urlFor('gateway'), upstreams()),
    ...environment,
  });
});
afterAll(async () => {
  await second.close();
  await site.stop();
  await upstream.close();
});
beforeEach(() => upstream.bodies.splice(0));

const worth = (tokens: number) => BigInt(tokens) * RATE;
const CHAT = '/v1/chat/completions';
const bodyOf = (model: string, more = '') =>
  `{"model":"${model}",${more}"messages":[{"role":"user","content":"x"}]}`;

async function send({ apiKey }: TestAccount, body: string, path = CHAT) {
  const answer = await site.post(path, apiKey, body);
  const { error } = (await answer.json()) as { error?: Record<string, string> };
  const limit = answer.headers.get('x-output-limit');
  return { status: answer.status, limit, error, sent: upstream.bodies.at(-1) };
}

it.each([
  ['all that a quarter of the money pays', 4 * LONGEST, null],
  ['what a quarter pays', 4 * LONGEST - 4, 9_999],
  ['4,096 tokens although they take more than a quarter', 12_000, 4_096],
  ['what all the money pays', 2_000, 2_000],
  ['sixteen tokens', 16, 16],
  ['nothing for less', 15, undefined],
])('leaves the answer %s', async (_what, tokens, limit) => {
  const { status, limit: told, error, sent } = await send(await site.account(worth(tokens)), bodyOf('m'));
  if (limit === undefined) {
    expect([status, error!.code, error!.required_amount, sent]).toEqual([
      402,
      'insufficient_balance',
      '0.000000016',
      undefined,
    ]);
    return;
  }
  expect([status, told]).toEqual([200, limit === null ? null : String(limit)]);
  expect(sent).toBe(limit === null ? bodyOf('m') : bodyOf('m').replace('{', `{"max_tokens":${limit},`));
});

it.each([
  ['in the field that the model takes', 'reasoner', '', '"max_completion_tokens":2000,', ''],
  [
    'instead of a null',
    'm',
    '"max_tokens" : null ,"seed":12345678901234567890,',
    '',
    '"max_tokens" : 2000 ,"seed":12345678901234567890,',
  ],
  [
    'beside a null that the model ignores',
    'reasoner',
    '"max_tokens":null,',
    '"max_completion_tokens":2000,',
    '"max_tokens":null,',
  ],
])('sets a limit %s', async (_what, model, more, before, after) => {
  const { limit, sent } = await send(await site.account(worth(2_000)), bodyOf(model, more));
  expect([limit, sent]).toEqual(['2000', `{${before}${bodyOf(model, after).slice(1)}`]);
});

it('never lowers a limit of the client, and names the one that is covered', async () => {
  const poor = await site.account(worth(2_000));
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    const { status, error, limit } = await send(poor, bodyOf('m', `"${field}":2001,`));
    expect([status, error!.code, error!.affordable_output_tokens, limit]).toEqual([
      402,
      'insufficient_balance',
      '2000',
      null,
    ]);
    expect(error!.message).toMatch(/limit the answer to 2000 tokens or fewer\.$/);
  }
  expect(await send(poor, bodyOf('m', '"max_tokens":2000,'))).toMatchObject({ status: 200, limit: null });
  const empty = await site.account(0n);
  expect((await send(empty, bodyOf('m', '"max_tokens":1,'))).error).not.toHaveProperty(
    'affordable_output_tokens',
  );
});

it('counts the limit of the API key as the money that is free', async () => {
  const account = await site.account(worth(1_000_000));
  const { apiKey } = await insertApiKey(site.pool, account.accountId, { spendLimitPicos: worth(2_000) });
  const limited = { ...account, apiKey };
  expect(await send(limited, bodyOf('m', '"max_tokens":2001,'))).toMatchObject({
    status: 402,
    error: { code: 'key_spend_limit_reached', affordable_output_tokens: '2000' },
  });
  expect(await send(limited, bodyOf('m'))).toMatchObject({ status: 200, limit: '2000' });
  expect(await send(limited, bodyOf('m'))).toMatchObject({ status: 402 });
  expect(await send(account, bodyOf('m'))).toMatchObject({ status: 200, limit: null });
});

it('holds no more than prompt and answer that fit into the context together', async () => {
  // 200 tokens of the answer and 100 of the prompt, although the body has more bytes.
  const body = bodyOf('tiny', `"x":"${'y'.repeat(200)}",`);
  expect(await send(await site.account(worth(4 * 300)), body)).toMatchObject({ status: 200, limit: null });
  expect(await send(await site.account(worth(300)), body)).toMatchObject({ status: 200, limit: null });
  const { limit } = await send(await site.account(worth(299)), body);
  expect(Number(limit)).toBeLessThan(200);
});

it('limits each of several answers', async () => {
  const { limit, sent } = await send(await site.account(worth(6_000)), bodyOf('m', '"n":3,'));
  expect([limit, sent]).toEqual(['2000', bodyOf('m', '"n":3,').replace('{', '{"max_tokens":2000,')]);
});

it('sets nothing where nothing can be charged', async () => {
  expect(await send(await site.account(0n), bodyOf('m+free'))).toMatchObject({
    status: 200,
    limit: null,
    sent: bodyOf('m+free'),
  });
});

describe('in other protocols', () => {
  const RESPONSE = (model: string, more = '') => `{"model":"${model}",${more}"input":"x"}`;
  const MESSAGE = (model: string, most: number) =>
    `{"model":"${model}","max_tokens":${most},"messages":[{"role":"user","content":"x"}]}`;
  const fields = (sent: string | undefined) => {
    const { max_tokens, max_completion_tokens } = JSON.parse(sent!) as Record<string, number>;
    return { max_tokens, max_completion_tokens };
  };

  it('a response gets a limit for want of money only', async () => {
    const rich = await send(await site.account(), RESPONSE('m'), '/v1/responses');
    expect([rich.status, rich.limit, fields(rich.sent)]).toEqual([200, null, {}]);
    const poor = await send(await site.account(worth(2_000)), RESPONSE('m'), '/v1/responses');
    expect([poor.status, poor.limit, fields(poor.sent)]).toEqual([200, '2000', { max_tokens: 2_000 }]);
  });

  it('the limit of the client is in the field that the model takes', async () => {
    const rich = await site.account();
    const response = await send(rich, RESPONSE('reasoner', '"max_output_tokens":30,'), '/v1/responses');
    expect(fields(response.sent)).toEqual({ max_completion_tokens: 30 });
    const message = await send(rich, MESSAGE('reasoner', 40), '/v1/messages');
    expect(fields(message.sent)).toEqual({ max_completion_tokens: 40 });
    expect(fields((await send(rich, MESSAGE('m', 50), '/v1/messages')).sent)).toEqual({ max_tokens: 50 });
  });

  it('a message whose limit is not covered is told the one that is', async () => {
    const { status, error } = await send(
      await site.account(worth(2_000)),
      MESSAGE('m', 2_001),
      '/v1/messages',
    );
    expect([status, error]).toMatchObject([
      402,
      { code: 'insufficient_balance', details: { affordable_output_tokens: '2000' } },
    ]);
  });
});

it('no number of calls without a limit overdraws a small wallet, through two gateways', async () => {
  const opening = worth(30_000);
  const of = await site.account(opening);
  const gateways = [site.gateway, second];
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const answer = await fetch(gateways[i % 2]!.url + CHAT, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${of.apiKey}` },
        body: bodyOf('m'),
      });
      await answer.text();
      return { status: answer.status, limit: Number(answer.headers.get('x-output-limit')) };
    }),
  );
  const served = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
  expect(served.length).toBeGreaterThan(1);
  // The upstream has always used what it was allowed.
  const granted = served.reduce((sum, { limit }) => sum + limit, 0);
  expect(granted).toBeLessThanOrEqual(30_000);
  const events = await eventsOf(site.pool, of.accountId);
  expect(events).toHaveLength(served.length);
  await site.expectCharged(of, worth(granted), opening);
});
