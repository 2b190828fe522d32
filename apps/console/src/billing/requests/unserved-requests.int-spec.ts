import { newId } from '@inference/database';
import { type UnitRate } from '@inference/metering';
import { insertApiKey, publishPrices } from '@inference/testing';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';
import { countCalls } from '../usage/call-counts.repository';
import { type RequestListResponse, type RequestResponse } from './requests.dto';

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000n }];
const MINUTE_MILLIS = 60_000;

let site: TestSite;
let account: SignedIn;
let priceListId: bigint;

beforeAll(async () => {
  site = await TestSite.start();
  priceListId = await publishPrices(
    site.database.pool,
    RATES.map((rate) => ({ slug: 'chat', ...rate })),
  );
});
beforeEach(async () => (account = await site.signedIn('user', 10n ** 15n)));
afterAll(() => site.stop());

const read = (path: string, { token } = account, headers = {}) =>
  site.console.request('GET', `/api/billing/${path}`, { token, headers });
const list = async (query = '') => (await read(`requests${query}`)).body as RequestListResponse;
const ids = async (query = '') => (await list(query)).requests.map(({ id }) => id);

interface Unserved {
  kind: 'refused' | 'failed';
  minutesAgo: number;
  model: string | null;
  apiKeyId: string | null;
  entrypoint: string;
  firstByteMillis: number | null;
}

/** Records a call as the gateway does, and returns its id. */
async function fail({
  kind = 'failed',
  minutesAgo = 0,
  model = 'chat',
  apiKeyId = null,
  entrypoint = 'gateway',
  firstByteMillis = null,
}: Partial<Unserved> = {}): Promise<string> {
  const id = newId('req');
  const [status, code] = kind === 'failed' ? [502, 'upstream_error'] : [402, 'insufficient_balance'];
  await site.database.pool.query(
    `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, kind,
       http_status, error_code, upstream, duration_ms, time_to_first_byte_ms)
     VALUES ($1, $2::timestamptz, $2::timestamptz - interval '1 second', $3, $4, $5, $6, 'chat/completions', $7, $8, $9, 'engine-7', 1000, $10)`,
    [
      id,
      new Date(Date.now() - minutesAgo * MINUTE_MILLIS),
      account.accountId,
      apiKeyId,
      model,
      entrypoint,
      kind,
      status,
      code,
      firstByteMillis,
    ],
  );
  return id;
}

async function serve(more: object = {}): Promise<string> {
  const requestId = newId('req');
  await settleRequest(site.database.pool, account.accountId, {
    ...{ model: 'chat', rates: RATES, usage: { inputTokens: 10, outputTokens: 41 }, requestId, priceListId },
    ...more,
  });
  return requestId;
}

it('are listed among the served ones, newest first, without their upstream', async () => {
  const [refused, failed] = [
    await fail({ kind: 'refused', minutesAgo: 2, model: null }),
    await fail({ minutesAgo: 1 }),
  ];
  const served = await serve();
  const { requests } = await list();
  expect(requests.map(({ id, status, outcome }) => [id, status, outcome])).toEqual([
    [served, 'charged', 'completed'],
    [failed, 'failed', 'failed'],
    [refused, 'refused', 'refused'],
  ]);
  expect(requests[1]).toMatchObject({
    model: 'chat',
    api_key: null,
    input_tokens: 0,
    output_tokens: 0,
    cost: 0,
    http_status: 502,
    error_code: 'upstream_error',
    duration_ms: 1000,
    finish_reason: null,
  });
  expect(requests[2]).toMatchObject({ model: null, http_status: 402, error_code: 'insufficient_balance' });
  expect(JSON.stringify(requests)).not.toContain('engine-7');
});

describe('named by their clients', () => {
  /** Names a call as the gateway does. */
  const name = (clientRequestId: string, id: string) =>
    site.database.pool.query(
      `INSERT INTO metering.client_request_ids
       SELECT $1, account_id, occurred_at, request_id FROM (
         SELECT account_id, occurred_at, request_id FROM metering.usage_events
         UNION ALL SELECT account_id, occurred_at, request_id FROM metering.unserved_calls) c
       WHERE request_id = $2`,
      [clientRequestId, id],
    );

  it('are found by that name among all others, in pages, and by their account alone', async () => {
    const stranger = await site.signedIn('user', 10n ** 15n);
    const named = [await fail({ minutesAgo: 3 }), await fail({ kind: 'refused', minutesAgo: 2 })];
    named.push(await serve(), await serve({ model: 'mini' }));
    for (const id of named) await name('job 4711/%_', id);
    const [other] = [await serve(), await fail()];
    await name('job', other);
    const own = account;
    account = stranger;
    await name('job 4711/%_', await fail());
    account = own;
    const query = `?client_request_id=${encodeURIComponent('job 4711/%_')}`;
    expect((await ids(query)).sort()).toEqual([...named].sort());
    const { requests, next_cursor: cursor } = await list(`${query}&limit=3`);
    const rest = await ids(`${query}&limit=3&cursor=${cursor}`);
    expect([...requests.map(({ id }) => id), ...rest].sort()).toEqual([...named].sort());
    expect(await ids(`${query}&model=mini`)).toEqual([named[3]]);
    expect(await ids(`${query}&status=refused`)).toEqual([named[1]]);
    expect(await ids('?client_request_id=job')).toEqual([other]);
    expect(await ids('?client_request_id=4711')).toEqual([]);
    for (const id of named)
      expect((await read(`requests/${id}`)).body).toMatchObject({ client_request_id: 'job 4711/%_' });
    expect((await read(`requests/${await serve()}`)).body).toMatchObject({ client_request_id: null });
  });

  it.each(['', 'x'.repeat(256), 'é', 'a\tb'])('answer 400 for the name %j', async (text) => {
    expect((await read(`requests?client_request_id=${encodeURIComponent(text)}`)).status).toBe(400);
  });
});

it('have pages together with the served ones', async () => {
  const expected: string[] = [];
  for (const minutesAgo of [6, 5, 4])
    expected.unshift(await fail({ minutesAgo }), await fail({ kind: 'refused', minutesAgo }));
  expected.unshift(await serve());
  const whole = await ids();
  expect([...whole].sort()).toEqual([...expected].sort());
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: RequestListResponse = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.requests.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(whole);
});

it('are limited by status and the other filters', async () => {
  const { apiKeyId } = account;
  const other = (await insertApiKey(site.database.pool, account.accountId)).apiKeyId;
  const refused = await fail({ kind: 'refused', minutesAgo: 3, apiKeyId });
  const failed = await fail({ minutesAgo: 2, apiKeyId: other, entrypoint: 'agent' });
  const served = await serve({ apiKeyId, outcome: 'interrupted' });
  expect(await ids('?status=charged')).toEqual([served]);
  expect(await ids('?status=refused')).toEqual([refused]);
  expect(await ids('?status=failed')).toEqual([failed]);
  expect(await ids('?outcome=interrupted')).toEqual([served]);
  expect(await ids('?outcome=interrupted&status=failed')).toEqual([]);
  expect(await ids(`?api_key_id=${apiKeyId}`)).toEqual([served, refused]);
  expect(await ids('?entrypoint=agent')).toEqual([failed]);
  expect(await ids('?model=chat&status=refused')).toEqual([refused]);
  expect(await ids('?model=mini')).toEqual([]);
  const minuteAgo = new Date(Date.now() - MINUTE_MILLIS).toISOString();
  expect(await ids(`?to=${minuteAgo}`)).toEqual([failed, refused]);
  expect(await ids(`?from=${minuteAgo}`)).toEqual([served]);
});

it('are found by their id, free, by their account only', async () => {
  const id = await fail({ apiKeyId: account.apiKeyId });
  const { status, body } = await read(`requests/${id}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id,
    status: 'failed',
    cost: 0,
    cost_usd: 0,
    lines: [],
    price_list: null,
    usd_per_unit: null,
    api_key: { id: account.apiKeyId },
  });
  const admin = await site.signedIn('admin');
  expect((await read(`requests/${id}`, admin)).status).toBe(404);
  expect(body).not.toHaveProperty('upstream');
});

it('are found by their id however long ago they ended, and whatever the time in it', async () => {
  for (const id of ['req_000000001mXw7RtYb2LsAB', 'req_zzzzzzzz1mXw7RtYb2LsAB']) {
    const name = await fail({ minutesAgo: 1 });
    await site.database.pool.query(
      'UPDATE metering.unserved_calls SET request_id = $1 WHERE request_id = $2',
      [id, name],
    );
    expect((await read(`requests/${id}`)).body).toMatchObject({ id, status: 'failed' });
  }
});

it('show the operator which server was asked, and its first byte', async () => {
  const admin = await site.signedIn('admin');
  const read = async (path: string) =>
    (
      await site.console.request('GET', `/api/admin/accounts/${account.accountId}/${path}`, {
        token: admin.token,
      })
    ).body as Record<string, unknown>;
  const [failed, served] = [await fail({ firstByteMillis: 95, minutesAgo: 1 }), await serve()];
  const answered = { upstream: expect.any(String), time_to_first_byte_ms: null };
  const asked = { upstream: 'engine-7', time_to_first_byte_ms: 95 };
  expect(await read('requests')).toMatchObject({
    requests: [
      { id: served, ...answered },
      { id: failed, ...asked },
    ],
  });
  expect(await read(`requests/${failed}`)).toMatchObject({ id: failed, ...asked });
  expect(await read(`requests/${served}`)).toMatchObject({ id: served, ...answered });
});

it('are in the CSV', async () => {
  const id = await fail({ model: null });
  const { text } = await read('requests?status=failed', account, { Accept: 'text/csv' });
  expect(text.split('\r\n')[1]).toMatch(
    new RegExp(`^${id},[^,]+,[^,]+,,,,gateway,0,0,false,0,USD,failed,failed,502,upstream_error,1000,,,$`),
  );
});

describe('a served call', () => {
  const told = { duration_ms: 2_500, time_to_first_token_ms: 500, finish_reason: 'length' };
  const only = async () => (await list()).requests[0]!;

  it('shows its times, its speed and why it ended', async () => {
    const id = await serve({ told });
    const expected = {
      duration_ms: 2500,
      time_to_first_token_ms: 500,
      finish_reason: 'length',
      tokens_per_second: 20,
    };
    expect(await only()).toMatchObject(expected);
    expect((await read(`requests/${id}`)).body).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    ['came at once', { time_to_first_token_ms: undefined }, {}],
    ['ended with its first token', { time_to_first_token_ms: 2_500 }, {}],
    ['is one token', {}, { usage: { inputTokens: 10, outputTokens: 1 } }],
  ])('has no speed if it %s', async (_what, times, more) => {
    await serve({ told: { ...told, ...times }, ...more });
    const request: RequestResponse = await only();
    expect([request.tokens_per_second, request.duration_ms]).toEqual([null, 2500]);
  });
});

describe('the counts', () => {
  const count = async (query = '', of = account) => {
    const { status, body } = await read(`usage/calls${query}`, of);
    expect(status).toBe(200);
    return body as { charged: number | null; refused: number; failed: number; unserved_since: string };
  };
  const DAY = '?from=2020-01-01&to=2100-01-01';

  it('count served, refused and failed calls of the account', async () => {
    await serve();
    await serve({ model: 'mini', outcome: 'disconnected' });
    // A call with two lines counts once.
    await serve({
      rates: [
        { unit: 'per_million_input_tokens', ratePicos: 1n },
        { unit: 'per_million_output_tokens', ratePicos: 1n },
      ],
    });
    await fail();
    await fail({ kind: 'refused' });
    await fail({ kind: 'refused', model: null });
    expect(await count(DAY)).toMatchObject({ charged: 3, refused: 2, failed: 1 });
    expect(await count(`${DAY}&model=chat`)).toMatchObject({ charged: 2, refused: 1, failed: 1 });
    expect(await count(`${DAY}&api_key_id=none&entrypoint=gateway`)).toMatchObject({ charged: 3 });
    expect(await count(`${DAY}&entrypoint=agent`)).toMatchObject({ charged: 0, refused: 0, failed: 0 });
    expect(await count('?from=2020-01-01&to=2020-01-02')).toMatchObject({ charged: 0, refused: 0 });
    expect(await count(DAY, await site.signedIn('admin'))).toMatchObject({ charged: 0, refused: 0 });
    expect((await count()).unserved_since).toMatch(/T00:00:00.000Z$/);
  });

  it('count parts of hours by their calls', async () => {
    await serve();
    const { rows } = await site.database.pool.query<{ at: string; after: string }>(
      `SELECT occurred_at::text AS at, (occurred_at + interval '1 microsecond')::text AS after
       FROM metering.usage_events WHERE account_id = $1`,
      [account.accountId],
    );
    const [at, after] = [rows[0]!.at, rows[0]!.after].map((text) =>
      encodeURIComponent(text.replace(' ', 'T').replace('+00', 'Z')),
    );
    await serve();
    expect(await count(`?from=2020-01-01&to=${after}`)).toMatchObject({ charged: 1 });
    expect(await count(`?from=2020-01-01&to=${at}`)).toMatchObject({ charged: 0 });
    expect(await count(`?from=${after}`)).toMatchObject({ charged: 1 });
  });

  it('count hours from before there were counts, unless they are archived', async () => {
    await serve();
    await site.database.pool.query('UPDATE metering.hourly_rollup SET calls = NULL WHERE account_id = $1', [
      account.accountId,
    ]);
    await serve({ model: 'mini' });
    expect(await count(DAY)).toMatchObject({ charged: 2 });
    await site.database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, '2025-12-01T05:00:00Z', 'm', 'gateway', 'per_million_tokens', 7, 7, 1, 1)`,
      [account.accountId],
    );
    await site.database.pool.query(
      `INSERT INTO metering.archived_days (day, manifest, manifest_sha256, dropped_at) VALUES ('2025-12-01T00:00:00Z', '', '', now())`,
    );
    expect(await count(DAY)).toMatchObject({ charged: null });
    expect(await count('?from=2025-12-02&to=2100-01-01')).toMatchObject({ charged: 2 });
  });

  it('are unknown where too many calls would have to be counted one by one', async () => {
    const { accountId } = account;
    for (const model of ['chat', 'mini', 'chat']) await serve({ model });
    await fail();
    await fail({ kind: 'refused', model: 'mini' });
    await fail({ kind: 'refused' });
    const all = { accountId, from: '2020-01-01', to: null, model: null, apiKeyId: null, entrypoint: null };
    const upTo = (most: number, model: string | null = null) =>
      countCalls(site.database.pool, { ...all, model }, most);
    expect(await upTo(2)).toEqual({ charged: 3n, refused: null, failed: null });
    expect(await upTo(3)).toEqual({ charged: 3n, refused: 2n, failed: 1n });
    expect(await upTo(3, 'chat')).toEqual({ charged: 2n, refused: 1n, failed: 1n });
    await site.database.pool.query('UPDATE metering.hourly_rollup SET calls = NULL WHERE account_id = $1', [
      accountId,
    ]);
    expect(await upTo(2)).toMatchObject({ charged: null });
    expect(await upTo(3)).toEqual({ charged: 3n, refused: 2n, failed: 1n });
    expect(await upTo(3, 'chat')).toEqual({ charged: 2n, refused: 1n, failed: 1n });
  });

  it.each(['?from=2026-01-02&to=2026-01-01', '?from=x', '?model=', '?limit=1', '?granularity=day'])(
    'answer 400 for %s',
    async (query) => {
      expect((await read(`usage/calls${query}`)).status).toBe(400);
    },
  );

  it('need a session', async () => {
    expect((await site.console.request('GET', '/api/billing/usage/calls')).status).toBe(401);
  });
});
