import { reconcile } from '@inference/metering';
import { CredentialSeal, type UpstreamReport } from '@inference/serving';
import {
  metricsOf,
  type TestAccount,
  TEST_UPSTREAM_ENCRYPTION_KEY,
  valueOf,
  waitFor,
} from '@inference/testing';
import { PassThrough } from 'node:stream';
import {
  costOf,
  eventsOf,
  IN_FORCE_MILLIS,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';

/** Models and upstreams of the database: how they are filled, changed, and chosen. */

const DEAR = RATES.map((rate) => ({ ...rate, ratePicos: rate.ratePicos * 10n }));

let site: TestSite;
let account: TestAccount;
/** Servers that answer with their name, as often as the test lets them. */
const servers: Record<string, ScriptedUpstream> = {};
const behaviours: Record<
  string,
  (respond: (status: number, headers?: Record<string, string>, body?: string) => void) => void
> = {};

const answerOf = (name: string) =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: name }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  });

beforeAll(async () => {
  for (const name of ['one', 'two', 'three'])
    servers[name] = await startUpstream((_request, response) => {
      const respond = (status: number, headers: Record<string, string> = {}, body?: string) => {
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
        const error = { message: `no: ${name}`, type: 'server_error', param: null, code: null };
        response.end(body ?? (status === 200 ? answerOf(name) : JSON.stringify({ error })));
      };
      (behaviours[name] ?? ((answer) => answer(200)))(respond);
    });
  site = await TestSite.start(
    { m: RATES, dear: DEAR, other: RATES, 'sandbox-chat': RATES, cheap: RATES },
    { MODEL_LIMITS: '{"m":{"context_tokens":1000,"max_output_tokens":20}}' },
    () => [
      { name: 'one', base_url: servers.one!.url, api_key: 'sk-first-key-of-one', models: ['m'] },
      { name: 'two', base_url: servers.two!.url, models: { m: 'their-m', dear: 'dear' } },
    ],
  );
});
beforeEach(async () => {
  account = await site.account();
  for (const name of Object.keys(behaviours)) delete behaviours[name];
  for (const server of Object.values(servers)) server.bodies.length = server.headers.length = 0;
});
afterAll(async () => {
  await site.stop();
  for (const server of Object.values(servers)) await server.close();
});

let prompts = 0;
const chat = (model: string, headers: Record<string, string> = {}, of = account) =>
  site.post(
    '/v1/chat/completions',
    of.apiKey,
    { model, messages: [{ role: 'user', content: `prompt ${prompts++}` }], max_tokens: 8 },
    { headers },
  );
const nameIn = async (response: Response) => {
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
};
const change = async (text: string, values: unknown[] = []) => {
  await site.pool.query(text, values);
  await site.pool.query("SELECT pg_notify('serving', '')");
};
const idOf = async (name: string) =>
  (await site.pool.query<{ id: string }>('SELECT id FROM serving.upstreams WHERE name = $1', [name])).rows[0]!
    .id;
const until = (isSo: () => Promise<boolean>) => waitFor(isSo, IN_FORCE_MILLIS);

describe('a database without upstreams', () => {
  it('is filled from the configuration, with credentials sealed', async () => {
    const { rows } = await site.pool.query(
      `SELECT u.name, m.model, m.upstream_name, m.priority, m.weight FROM serving.upstreams u
       JOIN serving.upstream_models m ON m.upstream_id = u.id ORDER BY 1, 2`,
    );
    expect(rows).toEqual([
      { name: 'one', model: 'm', upstream_name: null, priority: 0, weight: 100 },
      { name: 'two', model: 'dear', upstream_name: 'dear', priority: 1, weight: 100 },
      { name: 'two', model: 'm', upstream_name: 'their-m', priority: 1, weight: 100 },
    ]);
    const dump = await site.pool.query('SELECT * FROM serving.upstream_credentials');
    expect(JSON.stringify(dump.rows)).not.toContain('sk-first');
    expect(await nameIn(await chat('m'))).toBe('one');
    expect(servers.one!.headers.at(-1)).toMatchObject({ authorization: 'Bearer sk-first-key-of-one' });
    const [event] = await eventsOf(site.pool, account.accountId);
    expect(event).toMatchObject({ upstream: 'one', model: 'm' });
    await site.expectCharged(account, costOf(RATES, 5, 2));
  });

  it('is not filled again: a gateway with other variables warns and obeys the database', async () => {
    const log = new PassThrough();
    const lines: string[] = [];
    log.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const second = await startGateway(
      {
        ...testEnvironment(site.database.urlFor('gateway'), [{ name: 'x', base_url: servers.three!.url }]),
        UPSTREAMS_APPLY: 'once',
        MODEL_LIMITS: '{"m":{"context_tokens":7}}',
      },
      log,
    );
    const warnings = lines.join('');
    expect(warnings).toContain('UPSTREAMS differs from the database');
    expect(warnings).toContain('MODEL_LIMITS differs from the database');
    expect((await site.pool.query('SELECT name FROM serving.upstreams')).rowCount).toBe(2);
    await second.close();
  });
});

describe('what calls cost the operator', () => {
  const INPUT = 'per_million_input_tokens';
  const CACHED = 'per_million_cached_input_tokens';
  const OUTPUT = 'per_million_output_tokens';

  it('is that of a day counted by hand: two upstreams, a change of price, cached tokens, a failed attempt', async () => {
    const listOfTwo = await site.publishCostPrices('two', [
      ['their-m', INPUT, 200],
      ['their-m', OUTPUT, 2_000],
    ]);
    await site.publishCostPrices('one', [
      ['m', INPUT, 100],
      ['m', OUTPUT, 1_000],
    ]);
    expect((await chat('m')).status).toBe(200);
    const listOfOne = await site.publishCostPrices('one', [
      ['m', INPUT, 300],
      ['m', CACHED, 30],
      ['m', OUTPUT, 1_000],
    ]);
    expect((await chat('m')).status).toBe(200);
    // It has worked, and says for how much, but its answer is of no use.
    const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } };
    behaviours.one = (respond) => respond(201, {}, JSON.stringify({ choices: null, usage }));
    expect(await nameIn(await chat('m'))).toBe('two');
    delete behaviours.one;
    expect(await nameIn(await chat('dear'))).toBe('two');
    const { rows } = await site.pool.query(
      `SELECT model, upstream, sum(calls)::integer AS calls, sum(uncosted_calls)::integer AS uncosted, sum(revenue_picos)::bigint AS revenue,
         sum(uncosted_revenue_picos)::bigint AS lost, sum(cost_picos)::bigint AS cost
       FROM metering.margins WHERE account_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
      [account.accountId],
    );
    const [sold, dear] = [costOf(RATES, 5, 2), costOf(DEAR, 5, 2)];
    const byOne = 5n * 100n + 2n * 1_000n + (5n * 300n + 2n * 1_000n) + (2n * 300n + 3n * 30n + 2n * 1_000n);
    expect(rows).toEqual([
      { model: 'dear', upstream: 'two', calls: 1, uncosted: 1, revenue: dear, lost: dear, cost: 0n },
      { model: 'm', upstream: 'one', calls: 2, uncosted: 0, revenue: 2n * sold, lost: 0n, cost: byOne },
      { model: 'm', upstream: 'two', calls: 1, uncosted: 0, revenue: sold, lost: 0n, cost: 5_000n },
    ]);
    const { rows: served } = await site.pool.query<{ costs: unknown }>(
      `SELECT upstream_costs AS costs FROM metering.usage_events WHERE account_id = $1 AND model = 'm' AND upstream = 'two'`,
      [account.accountId],
    );
    expect(served).toEqual([
      {
        costs: [
          { upstream: 'one', list: listOfOne, served: false, cost_picos: '2690' },
          { upstream: 'two', list: listOfTwo, served: true, cost_picos: '5000' },
        ],
      },
    ]);
    expect(await reconcile(site.pool)).toEqual([]);
    // Nor is any other answer, and a stream fails that has reported its usage and produced nothing.
    const garbage = JSON.stringify({ choices: null, usage });
    behaviours.one = behaviours.two = (respond) => respond(201, {}, garbage);
    const failed = await chat('m');
    expect(failed.status).toBe(502);
    delete behaviours.two;
    const error = '{"message":"no","type":"server_error","param":null,"code":null}';
    const events = `data: {"choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: {"error":${error}}\n\n`;
    behaviours.one = (respond) => respond(200, { 'Content-Type': 'text/event-stream' }, events);
    const stream = await site.post('/v1/chat/completions', account.apiKey, {
      model: 'm',
      messages: [{ role: 'user', content: 'a stream' }],
      stream: true,
    });
    expect(await stream.text()).toContain('"message":"no"');
    delete behaviours.one;
    const [ofPlain, ofStream] = [failed, stream].map(({ headers }) => headers.get('x-request-id'));
    const uncharged = await waitFor(async () => {
      const { rows: costs } = await site.pool.query(
        `SELECT request_id AS id, attempt, model, upstream, cost_price_list_id AS list, cost_picos::bigint AS cost
         FROM metering.uncharged_costs WHERE account_id = $1 ORDER BY request_id = $2, attempt`,
        [account.accountId, ofStream],
      );
      return costs.length === 3 && costs;
    });
    expect(uncharged).toEqual([
      { id: ofPlain, attempt: 1, model: 'm', upstream: 'one', list: BigInt(listOfOne), cost: 2_690n },
      { id: ofPlain, attempt: 2, model: 'm', upstream: 'two', list: BigInt(listOfTwo), cost: 5_000n },
      { id: ofStream, attempt: 1, model: 'm', upstream: 'one', list: BigInt(listOfOne), cost: 2_690n },
    ]);
    expect(await reconcile(site.pool)).toEqual([]);
    const { rows: sums } = await site.pool.query(
      `SELECT upstream, sum(calls)::integer AS calls, sum(cost_picos)::bigint AS cost FROM metering.margins
       WHERE account_id = $1 AND model = 'm' GROUP BY 1 ORDER BY 1`,
      [account.accountId],
    );
    expect(sums).toEqual([
      { upstream: 'one', calls: 2, cost: byOne + 2n * 2_690n },
      { upstream: 'two', calls: 1, cost: 10_000n },
    ]);
    const metrics = await metricsOf(site.gateway.app);
    expect(valueOf(metrics, 'gateway_calls_without_cost_price_total{upstream="two"}')).toBe(1);
    const money = (name: string, kind: string) =>
      valueOf(metrics, `gateway_upstream_money_total{upstream="${name}",kind="${kind}"}`);
    expect(money('one', 'cost')).toBeCloseTo(Number(byOne + 2n * 2_690n) / 1e12, 15);
    expect(money('two', 'cost')).toBeCloseTo(10_000 / 1e12, 15);
    expect(money('two', 'revenue')).toBeGreaterThan(money('two', 'revenue_without_cost')!);
    expect(money('two', 'revenue_without_cost')).toBeGreaterThan(0);
  });
});

describe('changes', () => {
  it('are in force within two seconds without a restart: weights, credentials, states', async () => {
    const [one, two] = [await idOf('one'), await idOf('two')];
    await change('UPDATE serving.upstream_models SET priority = 0, weight = 50 WHERE model = $1', ['m']);
    await until(async () => (await nameIn(await chat('m'))) === 'two');
    expect(JSON.parse(servers.two!.bodies.at(-1)!)).toMatchObject({ model: 'their-m' });
    const seal = new CredentialSeal([Buffer.from(TEST_UPSTREAM_ENCRYPTION_KEY, 'hex')]);
    await change(
      `INSERT INTO serving.upstream_credentials (id, upstream_id, sealed, hint) VALUES ('upc_2', $1, $2, '')`,
      [one, seal.seal(one, 'sk-second-key-of-one')],
    );
    const keysOfOne = () => servers.one!.headers.map(({ authorization }) => authorization);
    await until(async () => {
      await chat('m');
      return keysOfOne().includes('Bearer sk-second-key-of-one');
    });
    await change("UPDATE serving.upstreams SET state = 'draining' WHERE id = $1", [two]);
    await until(async () => {
      servers.two!.bodies.length = 0;
      for (let call = 0; call < 10; call++) await chat('m');
      return servers.two!.bodies.length === 0;
    });
    await change("UPDATE serving.upstreams SET state = 'active' WHERE id = $1", [two]);
    await change('UPDATE serving.upstream_models SET priority = 1 WHERE upstream_id = $1', [two]);
  });

  it('are found without a notification, too', async () => {
    await site.pool.query("UPDATE serving.models SET context_tokens = 2000 WHERE slug = 'm'");
    await waitFor(async () => {
      const model = await fetch(`${site.gateway.url}/v1/models/m`, {
        headers: { Authorization: `Bearer ${account.apiKey}` },
      });
      return ((await model.json()) as { context_length: number }).context_length === 2000;
    }, 2 * IN_FORCE_MILLIS);
  });
});

describe('a call that fails', () => {
  it('uses the former credential if the new one is refused, also to many calls at once', async () => {
    const refusals: (() => void)[] = [];
    behaviours.one = (respond) => {
      if (servers.one!.headers.at(-1)!.authorization === 'Bearer sk-first-key-of-one') return respond(200);
      // All of them have been sent with the new one when the first is refused.
      if (refusals.push(() => respond(401)) === 20) for (const refuse of refusals) refuse();
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => chat('m')));
    expect(new Set(await Promise.all(answers.map(nameIn)))).toEqual(new Set(['one']));
    expect(await nameIn(await chat('m'))).toBe('one');
    // The refused one is not tried again for a while.
    expect(servers.one!.bodies).toHaveLength(41);
    await change("DELETE FROM serving.upstream_credentials WHERE id = 'upc_2'");
  });

  it('leaves no upstream alone because it lacks an endpoint that a client asks for', async () => {
    for (const status of [404, 501]) {
      behaviours.one = behaviours.two = (respond) => respond(status);
      for (let call = 0; call < 4; call++)
        await site.post('/v1/embeddings', account.apiKey, { model: 'm', input: `text ${prompts++}` });
      expect(servers.one!.bodies.length).toBeGreaterThanOrEqual(4);
    }
    const text = await metricsOf(site.gateway.app);
    for (const name of ['one', 'two'])
      expect(valueOf(text, `gateway_upstream_breaker{upstream="${name}",model="m"}`)).toBe(0);
    delete behaviours.one;
    expect(await nameIn(await chat('m'))).toBe('one');
    // An endpoint that has worked does not lack: the model is gone.
    behaviours.one = (respond) => respond(404);
    delete behaviours.two;
    for (let call = 0; call < 3; call++) expect(await nameIn(await chat('m'))).toBe('two');
    const after = await metricsOf(site.gateway.app);
    expect(valueOf(after, 'gateway_upstream_breaker{upstream="one",model="m"}')).toBe(2);
    delete behaviours.one;
    await waitFor(async () => (await nameIn(await chat('m'))) === 'one', 15_000);
  });

  it('is made once more at most, and leaves a failing upstream alone', async () => {
    behaviours.one = (respond) => respond(500);
    behaviours.two = (respond) => respond(500);
    expect((await chat('m')).status).toBe(502);
    expect([servers.one!.bodies.length, servers.two!.bodies.length]).toEqual([1, 1]);
    delete behaviours.two;
    // A pause of no time is none.
    behaviours.one = (respond) => respond(503, { 'Retry-After': '0' });
    for (let call = 0; call < 5; call++) expect(await nameIn(await chat('m'))).toBe('two');
    expect(servers.one!.bodies.length).toBeLessThanOrEqual(3);
    const text = await metricsOf(site.gateway.app);
    expect(valueOf(text, 'gateway_upstream_breaker{upstream="one",model="m"}')).toBe(2);
    expect(
      valueOf(text, 'gateway_upstream_calls_total{upstream="one",model="m",outcome="error_status"}'),
    ).toBeGreaterThanOrEqual(1);
    expect(valueOf(text, 'gateway_upstream_running_calls{upstream="two"}')).toBe(0);
    // A probe finds it alive, and a call closes the circuit.
    delete behaviours.one;
    await waitFor(async () => (await nameIn(await chat('m'))) === 'one', 15_000);
  });

  it('tells the client when to come back if every upstream asks for a pause', async () => {
    await change("UPDATE serving.upstreams SET state = 'off' WHERE name = 'one'");
    await until(async () => (await nameIn(await chat('m'))) === 'two');
    const pause = { 'Retry-After': '2', 'Retry-After-Ms': '1500', 'Content-Type': 'text/html' };
    behaviours.two = (respond) => respond(503, pause, '<html>proxy-7.internal</html>');
    const first = await chat('m');
    expect([first.status, first.headers.get('retry-after'), first.headers.get('retry-after-ms')]).toEqual([
      503,
      '2',
      '1500',
    ]);
    // Not the page of the operator's proxy.
    expect(await first.json()).toEqual({
      error: {
        message: 'The model’s server refused the request (status 503).',
        type: expect.any(String),
        param: null,
        code: null,
      },
    });
    servers.two!.bodies.length = 0;
    const second = await chat('m');
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ error: { code: 'upstream_busy', type: 'rate_limit_error' } });
    expect(Number(second.headers.get('retry-after-ms'))).toBeLessThanOrEqual(1500);
    expect(servers.two!.bodies).toHaveLength(0);
    delete behaviours.two;
    await waitFor(async () => (await chat('m')).status === 200, 5_000);
    await change("UPDATE serving.upstreams SET state = 'active' WHERE name = 'one'");
  });
});

describe('aliases, fallbacks and retirement', () => {
  beforeAll(async () => {
    // First who serves them: otherwise a fallback may answer the calls that wait for the models.
    await change(
      `INSERT INTO serving.upstream_models (upstream_id, model)
       SELECT id, unnest('{other,cheap}'::text[]) FROM serving.upstreams WHERE name = 'one'`,
    );
    await change(`INSERT INTO serving.models (id, slug, output_limit_field) VALUES
      ('mod_dear', 'dear', 'max_completion_tokens')`);
    await change(`INSERT INTO serving.models (id, slug, aliases, fallbacks, state, successor) VALUES
      ('mod_other', 'other', '{old-name}', '{dear,m}', 'offered', NULL),
      ('mod_cheap', 'cheap', '{}', '{}', 'retired', 'm')`);
    await until(async () => (await chat('cheap')).status === 404 && (await chat('other')).status === 200);
  });

  it('serve a model under its alias, at the price of the model', async () => {
    const response = await chat('old-name');
    expect([response.status, response.headers.get('x-inference-model')]).toEqual([200, 'other']);
    expect(JSON.parse(servers.one!.bodies.at(-1)!)).toMatchObject({ model: 'other' });
    expect(await site.onlyEvent(account)).toMatchObject({ model: 'other' });
    expect((await chat('other')).headers.get('x-inference-model')).toBeNull();
  });

  it('charge the fallback that has answered, which the hold covers', async () => {
    behaviours.one = (respond) => respond(500);
    const body = { model: 'other', messages: [{ role: 'user', content: 'fallback' }], max_tokens: 8 };
    const bytes = Buffer.byteLength(JSON.stringify(body));
    const poor = await site.account(costOf(DEAR, bytes, 8) - 1n);
    expect((await site.post('/v1/chat/completions', poor.apiKey, body)).status).toBe(402);
    const covered = await site.account(costOf(DEAR, bytes, 8));
    const response = await site.post('/v1/chat/completions', covered.apiKey, body);
    expect([response.status, response.headers.get('x-inference-model')]).toEqual([200, 'dear']);
    expect(await site.onlyEvent(covered)).toMatchObject({ model: 'dear', upstream: 'two' });
    await site.expectCharged(covered, costOf(DEAR, 5, 2), costOf(DEAR, bytes, 8));
    const metrics = await metricsOf(site.gateway.app);
    expect(valueOf(metrics, 'gateway_fallback_answers_total{model="other",served="dear"}')).toBe(1);
    // Switched off, the price of the model alone is reserved, and its failure is the answer.
    const alone = await site.account(costOf(RATES, bytes, 8));
    const off = { headers: { 'X-Inference-Fallback': 'off' } };
    expect((await site.post('/v1/chat/completions', alone.apiKey, body, off)).status).toBe(502);
    expect(servers.two!.bodies).toHaveLength(1);
  });

  it('get the limit of another protocol in their own field', async () => {
    behaviours.one = (respond) => respond(500);
    const messages = [{ role: 'user', content: 'fallback' }];
    const sent = async (path: string, body: object) => {
      expect((await site.post(path, account.apiKey, { model: 'other', ...body })).status).toBe(200);
      return JSON.parse(servers.two!.bodies.at(-1)!) as object;
    };
    const moved = { model: 'dear', max_tokens: null, max_completion_tokens: 8 };
    expect(await sent('/v1/messages', { messages, max_tokens: 8 })).toMatchObject(moved);
    expect(await sent('/v1/responses', { input: 'x', max_output_tokens: 8 })).toMatchObject(moved);
    // What clients name themselves stays.
    const own = await sent('/v1/chat/completions', { messages, max_tokens: 8 });
    expect(own).toMatchObject({ max_tokens: 8 });
    expect(own).not.toHaveProperty('max_completion_tokens');
  });

  it('tell no limit of a model that does not answer', async () => {
    await change(
      `INSERT INTO serving.models (id, slug, fallbacks) VALUES ('mod_chat', 'sandbox-chat', '{m}')`,
    );
    const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'short' }] };
    const poor = await site.account(costOf(RATES, Buffer.byteLength(JSON.stringify(body)), 1_000));
    await until(async () => (await chat('sandbox-chat')).status === 200);
    servers.one!.bodies.length = servers.two!.bodies.length = 0;
    const response = await site.post('/v1/chat/completions', poor.apiKey, body);
    expect([response.status, response.headers.get('x-inference-model')]).toEqual([200, 'm']);
    // The answers of the other model are shorter than what the money limits the first one to.
    expect(response.headers.get('x-output-limit')).toBeNull();
    const sent = JSON.parse(servers.one!.bodies.at(-1) ?? servers.two!.bodies.at(-1)!) as object;
    expect(sent).not.toHaveProperty('max_tokens');
  });

  it('serve a model with a price of its own as itself, although it is an alias', async () => {
    // The console refuses such an alias, but prices may be published later.
    await change("UPDATE serving.models SET aliases = '{old-name,dear,sandbox-mini}' WHERE slug = 'other'");
    await change("UPDATE serving.models SET slug = 'renamed' WHERE slug = 'dear'");
    const shown = async () => {
      const response = await fetch(`${site.gateway.url}/v1/models/dear`, {
        headers: { Authorization: `Bearer ${account.apiKey}` },
      });
      return ((await response.json()) as { id: string }).id;
    };
    await until(async () => (await chat('sandbox-mini')).status === 200);
    expect((await chat('dear')).headers.get('x-inference-model')).toBeNull();
    expect(await shown()).toBe('dear');
    behaviours.one = (respond) => respond(500);
    expect((await chat('other')).headers.get('x-inference-model')).toBe('dear');
    await change("UPDATE serving.models SET slug = 'dear' WHERE slug = 'renamed'");
    await change("UPDATE serving.models SET aliases = '{old-name}' WHERE slug = 'other'");
    await until(async () => (await chat('sandbox-mini')).status === 404);
  });

  it('serve a model that has no upstream, unless the client switches fallbacks off', async () => {
    const get = (path: string) =>
      fetch(`${site.gateway.url}/v1/models${path}`, {
        headers: { Authorization: `Bearer ${account.apiKey}` },
      });
    await change("DELETE FROM serving.upstream_models WHERE model = 'other'");
    await until(async () => (await chat('other', { 'X-Inference-Fallback': 'off' })).status === 404);
    const response = await chat('other');
    expect([response.status, response.headers.get('x-inference-model')]).toEqual([200, 'dear']);
    expect(await site.onlyEvent(account)).toMatchObject({ model: 'dear' });
    expect((await get('/other')).status).toBe(200);
    const limited = await site.account();
    await site.pool.query("UPDATE accounts.api_keys SET allowed_models = '{other}' WHERE account_id = $1", [
      limited.accountId,
    ]);
    await waitFor(async () => (await chat('other', {}, limited)).status === 404);
    await change(
      `INSERT INTO serving.upstream_models (upstream_id, model)
       SELECT id, 'other' FROM serving.upstreams WHERE name = 'one'`,
    );
    await until(async () => (await chat('other', {}, limited)).status === 200);
  });

  it('never leave the models of the key', async () => {
    behaviours.one = (respond) => respond(500);
    const limited = await site.account();
    await site.pool.query("UPDATE accounts.api_keys SET allowed_models = '{other}' WHERE account_id = $1", [
      limited.accountId,
    ]);
    await waitFor(async () => (await chat('other', {}, limited)).status === 502);
    expect(servers.two!.bodies).toHaveLength(0);
    expect((await chat('old-name', {}, limited)).status).toBe(502);
    expect((await chat('m', {}, limited)).status).toBe(403);
  });

  it('tell what replaces a retired model, and refuse a wrong switch', async () => {
    const retired = await chat('cheap');
    expect(await retired.json()).toMatchObject({
      error: { code: 'model_not_found', message: 'The model `cheap` is no longer offered. Use `m` instead.' },
    });
    expect((await chat('m', { 'X-Inference-Fallback': 'maybe' })).status).toBe(400);
    const list = await fetch(`${site.gateway.url}/v1/models`, {
      headers: { Authorization: `Bearer ${account.apiKey}` },
    });
    const ids = ((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['m', 'other', 'dear']));
    expect(ids).not.toContain('cheap');
  });
});

it('reports to the console what it sees', async () => {
  await waitFor(async () => {
    const { rows } = await site.pool.query<{ upstreams: UpstreamReport[] }>(
      'SELECT upstreams FROM serving.gateway_reports',
    );
    const [busy] = rows.flatMap(({ upstreams }) =>
      upstreams.length === 2 ? upstreams.filter(({ calls }) => calls > 0) : [],
    );
    if (!busy) return false;
    const sum = (name: 'calls' | 'failures') => busy.models.reduce((total, model) => total + model[name], 0);
    expect(busy).toMatchObject({ calls: sum('calls'), failures: sum('failures') });
    expect(busy.models.some(({ outputTokens }) => outputTokens > 0)).toBe(true);
    return true;
  }, 5_000);
});

it('fills in nothing that operators have deleted', async () => {
  await change('DELETE FROM serving.upstreams');
  await change('DELETE FROM serving.models');
  for (const mode of ['once', 'until_changed']) {
    const restarted = await startGateway({
      ...testEnvironment(site.database.urlFor('gateway'), [{ name: 'x', base_url: servers.three!.url }]),
      UPSTREAMS_APPLY: mode,
      MODEL_LIMITS: '{"m":{"context_tokens":7}}',
    });
    const { rows } = await site.pool.query(
      'SELECT name FROM serving.upstreams UNION ALL SELECT slug FROM serving.models',
    );
    expect(rows).toEqual([]);
    await restarted.close();
  }
});
