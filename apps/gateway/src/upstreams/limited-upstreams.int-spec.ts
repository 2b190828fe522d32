import { type TestAccount, waitFor } from '@inference/testing';
import {
  type Gateway,
  IN_FORCE_MILLIS,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';
import { ServingDirectory } from './directory.service';

/** What clients of two gateways see of upstreams with limits. */

const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});
const REFUSAL = JSON.stringify({
  error: { message: 'no', type: 'invalid_request_error', param: null, code: null },
});

interface Limits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  concurrency?: number;
}

let site: TestSite;
let gateways: Gateway[];
let account: TestAccount;
const servers: ScriptedUpstream[] = [];
let status = 200;
/** Answers that are held back. */
let held: (() => void)[] | null = null;
let prompts = 0;

beforeAll(async () => {
  for (let index = 0; index < 2; index++)
    servers.push(
      await startUpstream((_request, response) => {
        const answer = () => {
          response.writeHead(status, { 'Content-Type': 'application/json' });
          response.end(status === 200 ? ANSWER : REFUSAL);
        };
        if (held) held.push(answer);
        else answer();
      }),
    );
  // In the order of their priorities.
  const upstreams = servers.map(({ url }, index) => ({
    name: ['one', 'two'][index],
    base_url: url,
    models: ['m'],
  }));
  site = await TestSite.start({ m: RATES }, {}, () => upstreams);
  gateways = [site.gateway, await startGateway(testEnvironment(site.database.urlFor('gateway'), upstreams))];
});
afterEach(() => release());
beforeEach(async () => {
  account = await site.account();
  status = 200;
  held = null;
  await site.pool.query('DELETE FROM limits.subjects');
  for (const { bodies } of servers) bodies.length = 0;
});
afterAll(async () => {
  await gateways[1]!.close();
  await site.stop();
  for (const server of servers) await server.close();
});

/** Sets the limits of both upstreams, and waits until both gateways know them. */
async function limit(...limits: Limits[]): Promise<void> {
  for (const [index, { requestsPerMinute, tokensPerMinute, concurrency }] of limits.entries())
    await site.pool.query(
      `UPDATE serving.upstreams SET requests_per_minute = $2, tokens_per_minute = $3, concurrency = $4 WHERE name = $1`,
      [['one', 'two'][index], requestsPerMinute ?? null, tokensPerMinute ?? null, concurrency ?? null],
    );
  await site.pool.query("SELECT pg_notify('serving', '')");
  const known = () =>
    gateways.every(({ app }) =>
      app.get(ServingDirectory).upstreams.every(({ name, limits: found }) => {
        const wanted = limits[name === 'one' ? 0 : 1]!;
        const room = (unit: 'running' | 'requests' | 'tokens') => found?.roomFor(unit, 0) ?? null;
        return (
          (room('running') === null) === (wanted.concurrency === undefined) &&
          (room('requests') === null) === (wanted.requestsPerMinute === undefined) &&
          (room('tokens') === null) === (wanted.tokensPerMinute === undefined)
        );
      }),
    );
  await waitFor(async () => known(), IN_FORCE_MILLIS);
}

const chat = (gateway: number, content = `prompt ${prompts++}`, signal: AbortSignal | null = null) =>
  fetch(`${gateways[gateway]!.url}/v1/chat/completions`, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ model: 'm', max_tokens: 8, messages: [{ role: 'user', content }] }),
  });
const statusOf = async (answer: Promise<Response>) => {
  const response = await answer;
  await response.arrayBuffer();
  return response.status;
};
/** As often as all upstreams are full: a gateway gives back what it does not use within a second. */
const persist = (gateway: number): Promise<number> =>
  waitFor(async () => {
    const status = await statusOf(chat(gateway));
    return status !== 429 && status;
  }, 20_000);
/** Sends what was held back. */
function release(): void {
  const answers = held ?? [];
  held = null;
  for (const answer of answers) answer();
}
const calls = () => servers.map(({ bodies }) => bodies.length);
const countedTokens = async () => {
  const { rows } = await site.pool.query<{ tokens: number }>(
    `SELECT coalesce(sum(s.tokens), 0)::float8 AS tokens FROM limits.slices s WHERE subject_id LIKE 'upstream:%'`,
  );
  return rows[0]!.tokens;
};

it('go to the next upstream when one is full, and to nobody when all are', async () => {
  await limit({ requestsPerMinute: 3 }, { requestsPerMinute: 2 });
  for (let call = 0; call < 5; call++) expect(await statusOf(chat(call % 2))).toBe(200);
  expect(calls()).toEqual([3, 2]);
  for (const gateway of [0, 1, 0]) {
    const refused = await chat(gateway);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'upstream_busy' } });
    // When the first calls do not count any more.
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(65);
  }
  expect(calls()).toEqual([3, 2]);
});

it('run so many calls at a time in both gateways, also after calls that fail or are abandoned', async () => {
  await limit({ concurrency: 2 }, { concurrency: 1 });
  for (status of [400, 200])
    for (let call = 0; call < 4; call++) expect(await statusOf(chat(0))).toBe(status);
  held = [];
  const running = [persist(0), persist(1), persist(0)];
  await waitFor(async () => held!.length === 3, 10_000);
  expect([await statusOf(chat(0)), await statusOf(chat(1))]).toEqual([429, 429]);
  release();
  expect(await Promise.all(running)).toEqual([200, 200, 200]);
  held = [];
  const leaving = new AbortController();
  for (let call = 0; call < 3; call++)
    void (async () => {
      while (!leaving.signal.aborted) {
        await chat(0, 'is abandoned', leaving.signal).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
  await waitFor(async () => held!.length === 3, 10_000);
  leaving.abort();
  held = null;
  expect(await Promise.all([persist(0), persist(1), persist(1)])).toEqual([200, 200, 200]);
});

it('count tokens as they were used when a call has ended, and none of a refused request', async () => {
  await limit({ tokensPerMinute: 100_000 }, {});
  const long = 'word '.repeat(5_000);
  status = 400;
  for (let call = 0; call < 3; call++) expect(await statusOf(chat(0, `${call} ${long}`))).toBe(400);
  await waitFor(async () => (await countedTokens()) === 0, 20_000);
  status = 200;
  for (let call = 0; call < 3; call++) expect(await statusOf(chat(0, `${call} ${long}`))).toBe(200);
  await waitFor(async () => (await countedTokens()) === 3 * 7, 20_000);
  expect(calls()).toEqual([6, 0]);
});

it('that have none are not counted at all', async () => {
  await limit({}, {});
  expect(await statusOf(chat(0))).toBe(200);
  await limit({}, { concurrency: 5 });
  expect(await statusOf(chat(0))).toBe(200);
  const { rows } = await site.pool.query<{ id: string }>(
    "SELECT id FROM limits.subjects WHERE id LIKE 'upstream:%'",
  );
  expect(rows).toEqual([]);
});
