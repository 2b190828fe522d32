import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { CredentialSeal } from '@inference/serving';
import { publishPrices, TEST_UPSTREAM_ENCRYPTION_KEY } from '@inference/testing';
import { type SignedIn, TestConsole, TestSite } from '../../testing/console.fixture';

/** Administration of models and upstreams. */

const UPSTREAMS = '/api/admin/upstreams';
const MODELS = '/api/admin/inference/models';
const CREDENTIAL = 'sk-of-the-upstream-0123';

let site: TestSite;
let admin: SignedIn;
let server: Server;
let baseUrl: string;
/** What the server has received. */
let calls: { path: string; authorization: string | undefined; body: string }[];

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { authorization } = request.headers;
      calls.push({ path: request.url!, authorization, body });
      response.setHeader('Content-Type', 'application/json');
      if (authorization !== `Bearer ${CREDENTIAL}`) {
        response.statusCode = 401;
        response.end(JSON.stringify({ error: { message: `${authorization} is unknown` } }));
      } else if (request.method === 'GET') response.end('{"data":[{"id":"small"},{"id":"large"},{}]}');
      else response.end('{"choices":[]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
beforeEach(async () => {
  calls = [];
  await site.database.pool.query('DELETE FROM serving.upstreams');
  await site.database.pool.query('DELETE FROM serving.models');
});
afterAll(async () => {
  server.close();
  await site.stop();
});

const send = (method: string, path: string, json?: object, of = site.console) =>
  of.request(method, path, { token: admin.token, ...(json && { json }) });
const errorOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error: string }).error,
];
type Stored = { id: string; version: number; credentials: { id: string; hint: string }[] } & Record<
  string,
  unknown
>;
const create = async (fields: object = {}): Promise<Stored> => {
  const { status, body } = await send('POST', UPSTREAMS, { name: 'gpu-1', base_url: baseUrl, ...fields });
  expect(status).toBe(201);
  return body as Stored;
};

describe('upstreams', () => {
  it('are stored with their credential sealed, changed, and deleted', async () => {
    const created = await create({
      credential: CREDENTIAL,
      region: 'eu-1',
      concurrency: 4,
      tokens_per_minute: 9_007_199_254_740_991,
      models: [
        { model: 'sandbox-chat', upstream_name: 'small', weight: 90 },
        { model: '*', priority: 1 },
      ],
    });
    expect(created).toMatchObject({
      name: 'gpu-1',
      base_url: baseUrl,
      state: 'active',
      credential_header: 'authorization',
      concurrency: 4,
      tokens_per_minute: 9_007_199_254_740_991,
      requests_per_minute: null,
      version: 1,
      credentials: [{ hint: '0123' }],
      models: [
        { model: 'sandbox-chat', upstream_name: 'small', weight: 90, priority: 0 },
        { model: '*', upstream_name: null, weight: 100, priority: 1 },
      ],
      health: { gateways: 0, is_up: null, running: 0 },
    });
    const { rows } = await site.database.pool.query<{ sealed: string }>(
      'SELECT sealed FROM serving.upstream_credentials',
    );
    const seal = new CredentialSeal([Buffer.from(TEST_UPSTREAM_ENCRYPTION_KEY, 'hex')]);
    expect(seal.open(created.id, rows[0]!.sealed)).toBe(CREDENTIAL);
    const changed = await send('PATCH', `${UPSTREAMS}/${created.id}?version=1`, {
      region: null,
      models: [{ model: 'sandbox-mini' }],
    });
    expect(changed.body).toMatchObject({
      region: null,
      concurrency: 4,
      version: 2,
      models: [{ model: 'sandbox-mini' }],
    });
    expect((await send('GET', UPSTREAMS)).body).toEqual({ upstreams: [changed.body] });
    expect(errorOf(await send('PATCH', `${UPSTREAMS}/${created.id}?version=1`, { region: 'x' }))).toEqual([
      409,
      'version: 2 was stored meanwhile; compare with it and try again',
    ]);
    expect((await send('POST', `${UPSTREAMS}/${created.id}/drain`, {})).body).toMatchObject({
      state: 'draining',
      version: 3,
    });
    await site.database.pool.query(
      `INSERT INTO serving.upstreams (id, name, base_url, filled_digest) VALUES ('up_filled', 'filled', $1, 'x')`,
      [baseUrl],
    );
    expect((await send('DELETE', `${UPSTREAMS}/${created.id}`)).status).toBe(204);
    // What an operator has deleted is not filled in again.
    const left = await site.database.pool.query('DELETE FROM serving.upstreams RETURNING filled_digest');
    expect(left.rows).toEqual([{ filled_digest: null }]);
    expect((await send('GET', UPSTREAMS)).body).toEqual({ upstreams: [] });
    const events = await site.database.pool.query(
      `SELECT actor_id, details FROM accounts.security_events WHERE type = 'admin.upstream_changed' ORDER BY created_at, id`,
    );
    expect(events.rows).toMatchObject(
      ['created', 'changed', 'draining', 'deleted'].map((change) => ({
        actor_id: admin.accountId,
        details: { upstream: 'gpu-1', change },
      })),
    );
    const [creation, changing] = (events.rows as { details: object }[]).map(({ details }) => details);
    expect(creation).toMatchObject({
      new_base_url: baseUrl,
      new_tokens_per_minute: 9_007_199_254_740_991,
      new_models: 'sandbox-chat small 90 0, * * 100 1',
      new_credentials: created.credentials[0]!.id,
    });
    expect(changing).toEqual({
      upstream: 'gpu-1',
      change: 'changed',
      old_region: 'eu-1',
      new_region: null,
      old_models: 'sandbox-chat small 90 0, * * 100 1',
      new_models: 'sandbox-mini sandbox-mini 100 0',
    });
    expect(JSON.stringify(events.rows)).not.toContain(CREDENTIAL);
  });

  it('are announced to gateways when they change, and not by a dry run', async () => {
    const client = await site.database.pool.connect();
    const heard: string[] = [];
    client.on('notification', ({ channel }) => heard.push(channel));
    await client.query('LISTEN serving');
    const { id } = await create();
    await client.query('SELECT 1');
    expect(heard).toEqual(['serving']);
    const dry = await send('PATCH', `${UPSTREAMS}/${id}?dry_run=true`, { state: 'off' });
    expect(dry.body).toMatchObject({ state: 'off', version: 2 });
    await client.query('SELECT 1');
    expect(heard).toHaveLength(1);
    expect((await send('GET', UPSTREAMS)).body).toMatchObject({
      upstreams: [{ state: 'active', version: 1 }],
    });
    await client.query('UNLISTEN *');
    client.release();
  });

  it('have several credentials, of which the newest one is first', async () => {
    const { id, credentials } = await create({ credential: 'short' });
    expect(credentials).toMatchObject([{ hint: '' }]);
    const added = await send('POST', `${UPSTREAMS}/${id}/credentials`, { credential: CREDENTIAL });
    expect(added.status).toBe(201);
    expect(added.text).not.toContain(CREDENTIAL);
    const list = (await send('GET', UPSTREAMS)).body as { upstreams: [Stored] };
    expect(list.upstreams[0]).toMatchObject({ version: 2, credentials: [added.body, credentials[0]] });
    const path = `${UPSTREAMS}/${id}/credentials/${credentials[0]!.id}`;
    expect((await send('DELETE', path)).status).toBe(204);
    expect(errorOf(await send('DELETE', path))).toEqual([404, 'no such credential']);
  });

  it('say which protocols they speak', async () => {
    const created = await create({});
    expect(created).toMatchObject({ protocols: ['chat'] });
    const path = `${UPSTREAMS}/${created.id}`;
    const changed = await send('PATCH', path, { protocols: ['responses', 'messages'] });
    expect(changed.body).toMatchObject({ protocols: ['responses', 'messages'] });
    for (const protocols of [[], ['smoke-signals'], null, 'chat'])
      expect((await send('PATCH', path, { protocols })).status).toBe(400);
  });

  it('never send a stored credential to another place', async () => {
    const { id } = await create({ credential: CREDENTIAL });
    const path = `${UPSTREAMS}/${id}`;
    for (const elsewhere of [{ base_url: 'http://127.0.0.1:9/v1' }, { credential_header: 'x-api-key' }]) {
      const fault =
        'credential: must be given with another origin of base_url or another credential_header; null for none';
      expect(errorOf(await send('PATCH', path, elsewhere))).toEqual([400, fault]);
    }
    expect((await send('PATCH', path, { base_url: `${baseUrl}beta` })).body).toMatchObject({
      credentials: [{ hint: '0123' }],
    });
    const moved = await send('PATCH', path, {
      base_url: 'http://127.0.0.1:9/v1',
      credential: 'sk-of-another-place-9876',
    });
    expect(moved.body).toMatchObject({ base_url: 'http://127.0.0.1:9/v1', credentials: [{ hint: '9876' }] });
    const none = await send('PATCH', path, { credential_header: 'x-api-key', credential: null });
    expect(none.body).toMatchObject({ credential_header: 'x-api-key', credentials: [] });
    expect((await send('PATCH', path, { base_url: baseUrl })).status).toBe(200);
  });

  it('are tested: their list of models, and a call of one that chats', async () => {
    await publishPrices(site.database.pool, [
      { slug: 'a-picture-model', unit: 'per_image', ratePicos: 1n },
      { slug: 'sandbox-chat', unit: 'per_million_output_tokens', ratePicos: 1n },
    ]);
    const { id } = await create({
      credential: CREDENTIAL,
      models: [{ model: 'a-picture-model' }, { model: 'sandbox-chat', upstream_name: 'large' }],
    });
    const tested = await send('POST', `${UPSTREAMS}/${id}/test`, {});
    expect(tested.body).toEqual({
      models: ['small', 'large'],
      listing_error: null,
      call: { model: 'large', status: 200, milliseconds: expect.any(Number), error: null },
    });
    expect(calls.map(({ path }) => path)).toEqual(['/v1/models', '/v1/chat/completions']);
    expect(JSON.parse(calls[1]!.body)).toMatchObject({ model: 'large', max_tokens: 1 });
    await send('POST', `${UPSTREAMS}/${id}/credentials`, { credential: 'sk-wrong-credential-99' });
    expect((await send('POST', `${UPSTREAMS}/${id}/test`, { model: 'small' })).body).toMatchObject({
      models: [],
      listing_error: '401: Bearer … is unknown',
      call: { model: 'small', status: 401, error: '401: Bearer … is unknown' },
    });
    await send('PATCH', `${UPSTREAMS}/${id}`, {
      base_url: 'http://127.0.0.1:9/v1',
      credential: CREDENTIAL,
    });
    expect((await send('POST', `${UPSTREAMS}/${id}/test`, {})).body).toMatchObject({
      listing_error: 'ECONNREFUSED',
      call: { status: null, error: 'ECONNREFUSED' },
    });
  });

  it('are tested before they are stored, with the stored credential only at its own place', async () => {
    const test = async (settings: object) => (await send('POST', `${UPSTREAMS}/test`, settings)).body;
    expect(
      await test({
        base_url: baseUrl,
        credential: CREDENTIAL,
        model: 'small',
        protocols: ['chat'],
        credential_header: 'authorization',
      }),
    ).toEqual({
      models: ['small', 'large'],
      listing_error: null,
      call: { model: 'small', status: 200, milliseconds: expect.any(Number), error: null },
    });
    const refused = { listing_error: '401: undefined is unknown', call: null };
    expect(await test({ base_url: baseUrl })).toMatchObject(refused);
    const { id: upstream } = await create({ credential: CREDENTIAL });
    expect(await test({ base_url: baseUrl, upstream })).toMatchObject({ listing_error: null });
    calls = [];
    expect(await test({ base_url: baseUrl, upstream, credential_header: 'x-api-key' })).toMatchObject(
      refused,
    );
    const elsewhere = baseUrl.replace('127.0.0.1', 'localhost');
    expect(await test({ base_url: elsewhere, upstream })).toMatchObject(refused);
    expect(calls.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
    expect(errorOf(await send('POST', `${UPSTREAMS}/test`, { base_url: baseUrl, upstream: 'up_0' }))).toEqual(
      [404, 'no such upstream'],
    );
    expect((await send('POST', `${UPSTREAMS}/test`, {})).status).toBe(400);
    // What is not given is as it is stored.
    await send('PATCH', `${UPSTREAMS}/${upstream}`, {
      credential_header: 'x-api-key',
      credential: CREDENTIAL,
      protocols: ['messages'],
    });
    calls = [];
    expect(await test({ base_url: baseUrl, upstream, model: 'large' })).toMatchObject({
      call: { status: 401 },
    });
    expect(calls).toMatchObject([
      { path: '/v1/models', authorization: undefined },
      { path: '/v1/messages', authorization: undefined },
    ]);
    expect((await send('GET', UPSTREAMS)).body).toMatchObject({ upstreams: [{ id: upstream, version: 2 }] });
  });

  it('are drained and deleted as they were seen', async () => {
    const { id } = await create();
    for (const [method, path] of [
      ['POST', `${UPSTREAMS}/${id}/drain`],
      ['DELETE', `${UPSTREAMS}/${id}`],
    ] as const)
      expect(errorOf(await send(method, `${path}?version=2`))).toEqual([
        409,
        'version: 1 was stored meanwhile; compare with it and try again',
      ]);
    expect((await send('POST', `${UPSTREAMS}/${id}/drain?version=1`)).body).toMatchObject({
      state: 'draining',
      version: 2,
    });
    expect((await send('DELETE', `${UPSTREAMS}/${id}?version=2`)).status).toBe(204);
  });

  it('get and lose credentials as they were seen, each of which is a version', async () => {
    const { id, credentials } = await create({ credential: 'sk-former' });
    const path = `${UPSTREAMS}/${id}/credentials`;
    const former = `${path}/${credentials[0]!.id}`;
    const stored = 'was stored meanwhile; compare with it and try again';
    const json = { credential: CREDENTIAL };
    expect(errorOf(await send('POST', `${path}?version=2`, json))).toEqual([409, `version: 1 ${stored}`]);
    expect((await send('POST', `${path}?version=1`, json)).status).toBe(201);
    expect(errorOf(await send('DELETE', `${former}?version=1`))).toEqual([409, `version: 2 ${stored}`]);
    expect((await send('DELETE', `${former}?version=2`)).status).toBe(204);
    expect((await send('POST', `${path}?version=0`, json)).status).toBe(400);
    const { upstreams } = (await send('GET', UPSTREAMS)).body as { upstreams: Stored[] };
    expect(upstreams).toMatchObject([{ version: 3, credentials: [{ hint: '0123' }] }]);
    expect((await send('PATCH', `${UPSTREAMS}/${id}?version=2`, {})).status).toBe(409);
  });

  it.each([
    [{ base_url: 'ftp://a.b' }, 'base_url: must be a URL starting with http:// or https://'],
    [{ base_url: 'http://u:p@a.b/v1' }, 'base_url: must hold no credentials; give them as `credential`'],
    [{ name: 'A b' }, 'name: must be 1 to 64 of a-z 0-9 . _ -'],
    [{ credential: 'with space' }, 'credential: must have no spaces'],
    [{ credential_header: 'host' }, 'credential_header: must be'],
    [{ concurrency: 0 }, 'concurrency: must be a whole number'],
    [{ models: [{ model: 'a' }, { model: 'a' }] }, 'models.1.model: must be named once'],
    [{ models: [{ model: 'a', weight: 1001 }] }, 'models.0.weight: must be a whole number'],
    [{ models: [{ model: ' ' }] }, 'models.0.model: '],
  ])('are refused: %j', async (fields, message) => {
    const [status, text] = errorOf(
      await send('POST', UPSTREAMS, { name: 'x', base_url: baseUrl, ...fields }),
    );
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });

  it('have different names, and exist', async () => {
    await create();
    expect(errorOf(await send('POST', UPSTREAMS, { name: 'gpu-1', base_url: baseUrl }))).toEqual([
      409,
      'name: gpu-1 is stored already',
    ]);
    const unknown = `${UPSTREAMS}/up_0`;
    for (const [method, path, json] of [
      ['PATCH', unknown, {}],
      ['DELETE', unknown],
      ['POST', `${unknown}/drain`, {}],
      ['POST', `${unknown}/test`, {}],
      ['POST', `${unknown}/credentials`, { credential: 'x' }],
    ] as const)
      expect(errorOf(await send(method, path, json))).toEqual([404, 'no such upstream']);
  });

  it('are in private networks only where the configuration allows it', async () => {
    const strict = await TestConsole.start(site.database.urlFor('console'), {
      UPSTREAM_PRIVATE_NETWORKS: 'refused',
    });
    const refused = [
      400,
      'base_url: must not be in a private network unless UPSTREAM_PRIVATE_NETWORKS allows it',
    ];
    expect(errorOf(await send('POST', UPSTREAMS, { name: 'x', base_url: baseUrl }, strict))).toEqual(refused);
    const { id } = await create();
    expect(errorOf(await send('PATCH', `${UPSTREAMS}/${id}`, { base_url: baseUrl }, strict))).toEqual(
      refused,
    );
    expect(errorOf(await send('POST', `${UPSTREAMS}/${id}/test`, {}, strict))).toEqual(refused);
    expect(errorOf(await send('POST', `${UPSTREAMS}/test`, { base_url: baseUrl }, strict))).toEqual(refused);
    expect(calls).toEqual([]);
    expect(
      (await send('POST', UPSTREAMS, { name: 'y', base_url: 'https://8.8.8.8/v1' }, strict)).status,
    ).toBe(201);
    await strict.close();
  });
});

describe('models', () => {
  it('are stored, changed and deleted', async () => {
    const created = await send('POST', MODELS, {
      slug: 'sandbox-chat',
      name: ' Sandbox Chat ',
      context_tokens: 8192,
      input_modalities: ['text', 'image'],
      aliases: ['chat'],
      fallbacks: ['sandbox-mini'],
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        slug: 'sandbox-chat',
        name: 'Sandbox Chat',
        context_tokens: 8192,
        max_output_tokens: null,
        output_limit_field: 'max_tokens',
        state: 'offered',
        successor: null,
        version: 1,
      },
    });
    const { id } = created.body as Stored;
    const path = `${MODELS}/${id}`;
    const retired = await send('PATCH', `${path}?version=1`, {
      state: 'retired',
      successor: 'sandbox-mini',
      aliases: [],
    });
    expect(retired.body).toMatchObject({
      state: 'retired',
      successor: 'sandbox-mini',
      aliases: [],
      version: 2,
    });
    expect((await send('PATCH', `${path}?version=1`, {})).status).toBe(409);
    expect((await send('PATCH', `${path}?dry_run=true`, { name: 'x' })).body).toMatchObject({ name: 'x' });
    expect((await send('GET', MODELS)).body).toEqual({ models: [retired.body], figures: [] });
    expect((await send('DELETE', `${path}?version=1`)).status).toBe(409);
    expect((await send('DELETE', path)).status).toBe(204);
    expect(errorOf(await send('DELETE', path))).toEqual([404, 'no such model']);
    expect(errorOf(await send('PATCH', path, {}))).toEqual([404, 'no such model']);
  });

  it('tell what their upstreams speak themselves', async () => {
    const of = (models: string[]) => models.map((model) => ({ model }));
    await create({ name: 'a', protocols: ['messages', 'chat'], models: of(['sandbox-chat']) });
    await create({ name: 'b', protocols: ['responses'], models: of(['*']) });
    await create({ name: 'c', protocols: ['messages'], models: of(['*']), state: 'off' });
    for (const [slug, protocols] of [
      ['sandbox-chat', ['chat', 'responses', 'messages']],
      ['sandbox-mini', ['responses']],
    ] as const)
      expect((await send('POST', MODELS, { slug })).body).toMatchObject({ protocols });
  });

  it('have the figures that gateways report, and the upstreams that can be called', async () => {
    const of = (...models: string[]) => models.map((model) => ({ model }));
    const one = await create({ name: 'one', models: of('sandbox-chat', 'sandbox-mini') });
    const two = await create({ name: 'two', models: of('*') });
    await create({ name: 'drained', models: of('sandbox-mini'), state: 'draining' });
    await create({ name: 'spare', models: [{ model: 'sandbox-mini', weight: 0 }] });
    await send('POST', MODELS, { slug: 'unserved', state: 'hidden' });
    await send('POST', MODELS, { slug: '*' });
    const model = (slug: string, calls: number, failures: number, firstByteMs: number | null) => ({
      model: slug,
      calls,
      failures,
      firstByteMs,
      outputTokens: 100 * calls,
    });
    const report = (upstreamId: string, isUp: boolean, openModels: string[], models: object[]) => ({
      ...{ upstreamId, isUp, openModels, models },
      ...{ running: 0, calls: 0, failures: 0, firstByteMs: null },
    });
    await site.database.pool.query(
      'INSERT INTO serving.gateway_reports (gateway_id, upstreams) VALUES ($1, $2), ($3, $4)',
      [
        'gw_a',
        JSON.stringify([
          report(
            one.id,
            true,
            ['sandbox-mini'],
            [model('sandbox-chat', 3, 1, 100), model('sandbox-mini', 2, 2, null)],
          ),
          report(two.id, true, [], [model('other', 1, 0, 50)]),
        ]),
        'gw_b',
        JSON.stringify([report(one.id, true, [], [model('sandbox-chat', 1, 0, 300)])]),
      ],
    );
    const figures = (slug: string, upstreams: string[], others: string[], counts: (number | null)[]) => ({
      slug,
      upstreams,
      other_upstreams: others,
      calls_per_minute: counts[0],
      failures_per_minute: counts[1],
      first_byte_ms: counts[2],
      output_tokens_per_minute: counts[3],
    });
    expect((await send('GET', MODELS)).body).toMatchObject({
      figures: [
        figures('other', ['two'], [], [1, 0, 50, 100]),
        figures('sandbox-chat', ['one', 'two'], [], [4, 1, 150, 400]),
        figures('sandbox-mini', ['two'], ['drained', 'one', 'spare'], [2, 2, null, 200]),
        figures('unserved', ['two'], [], [0, 0, null, 0]),
      ],
    });
    const csv = await site.console.request('GET', UPSTREAMS, {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.text.split('\r\n').find((line) => line.startsWith(one.id))).toMatch(
      /,one,[^,]+,,active,chat,sandbox-chat sandbox-mini,.*,true,0,0,0,,sandbox-mini,/,
    );
    await site.database.pool.query('DELETE FROM serving.gateway_reports');
  });

  it.each([
    [400, { slug: 'a', fallbacks: ['a'] }, 'fallbacks: must not name the model itself'],
    [400, { slug: 'a', fallbacks: ['b', 'b'] }, 'fallbacks: must name each once'],
    [400, { slug: 'a', successor: 'b' }, 'successor: belongs to a retired model'],
    [400, { slug: 'a', state: 'retired', successor: 'a' }, 'successor: must not be the model itself'],
    [400, { slug: '*', aliases: ['b'] }, 'slug: * holds limits and modalities only'],
    [400, { slug: 'a', input_modalities: ['smell'] }, 'input_modalities: must be among'],
    [400, { slug: 'a b' }, 'slug: must have'],
    [409, { slug: 'first' }, 'slug: first is stored already'],
    [409, { slug: 'one' }, 'slug: one is an alias of first'],
    [409, { slug: 'a', aliases: ['one'] }, 'aliases: one is a name of first'],
    [409, { slug: 'a', aliases: ['first'] }, 'aliases: first is a name of first'],
    [409, { slug: 'a', aliases: ['a'] }, 'aliases: a is a name of a'],
  ])('%d: refuses %j', async (status, fields, message) => {
    await send('POST', MODELS, { slug: 'first', aliases: ['one'] });
    expect(errorOf(await send('POST', MODELS, fields))).toEqual([status, expect.stringContaining(message)]);
    expect((await send('GET', MODELS)).body).toMatchObject({ models: [{ slug: 'first' }] });
  });
});
