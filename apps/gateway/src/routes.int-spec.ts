import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { generateKeyPairSync } from 'node:crypto';
import { createApiKey, SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import {
  credentialRows,
  insertApiKey,
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  tabledRoutes,
  type TestAccount,
  waitFor,
} from '@inference/testing';
import { SignJWT } from 'jose';
import {
  type Gateway,
  RATES,
  startGateway,
  startDatabaseProxy,
  testEnvironment,
  TestSite,
  type DatabaseProxy,
} from './testing/gateway.fixture';

const MEBIBYTE = 1024 * 1024;
const MODELS = ['sandbox-chat', 'sandbox-chat+status=500', 'sandbox-chat+hang'];
const closed = credentialRows('gateway')
  .filter(({ statuses }) => statuses.none === 401)
  .map(({ route }) => route);

/** Below the three seconds after which a cached key expires, so only a notification can have evicted it. */
const WELL_BELOW_KEY_MILLIS = 2_500;

let site: TestSite;
let account: TestAccount;
/** A gateway whose database is unavailable. */
let stranded: Gateway;
let databaseProxy: DatabaseProxy;

beforeAll(async () => {
  site = await TestSite.start(
    Object.fromEntries(MODELS.map((slug) => [slug, RATES])),
    { UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: '2' },
    (engine) => MODELS.map((slug, i) => ({ name: `engine-${i}`, base_url: engine, models: [slug] })),
  );
  account = await site.account();
  databaseProxy = await startDatabaseProxy(site.database.urlFor('gateway'));
  databaseProxy.down();
  stranded = await startGateway(
    testEnvironment(databaseProxy.url, [{ name: 'engine', base_url: `${site.engine.url}/v1` }]),
  );
});
afterAll(async () => {
  await stranded.close();
  await databaseProxy.close();
  await site.stop();
});

interface Ask {
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  gateway?: Gateway;
}

/** A body that the endpoint accepts. */
function bodyFor(path: string): string {
  if (path.startsWith('/v1/responses')) return '{"model":"sandbox-chat","input":"x"}';
  const limit = path.startsWith('/v1/messages') ? ',"max_tokens":1' : '';
  return `{"model":"sandbox-chat","messages":[]${limit}}`;
}

const contentTypeFor = (path: string): string =>
  /audio\/tr/.test(path) ? 'multipart/form-data; boundary=b' : 'application/json';

async function ask(route: string, { headers = {}, body, gateway = site.gateway }: Ask = {}) {
  const [method = '', path = ''] = route.split(' ');
  const content = body ?? (method === 'POST' ? bodyFor(path) : undefined);
  const response = await fetch(
    gateway.url + path.replace('*slug', 'sandbox-chat').replace(':response_id', 'resp_1'),
    {
      method,
      headers: { ...(content === undefined ? {} : { 'Content-Type': contentTypeFor(path) }), ...headers },
      ...(content === undefined ? {} : { body: content }),
    },
  );
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Asserts that the response is JSON with exactly the error body of OpenAI. */
function expectError(
  answer: Awaited<ReturnType<typeof ask>>,
  status: number,
  error: { type: string; code: string | null; param?: string | null; message?: RegExp; amounts?: object },
): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.parse(answer.text)).toEqual({
    error: {
      message: error.message ? expect.stringMatching(error.message) : expect.stringMatching(/\w/),
      type: error.type,
      param: error.param ?? null,
      code: error.code,
      ...error.amounts,
    },
  });
}

/** Asserts that the refusal has the body of the protocol of its route. */
function expectRefusal(
  route: string,
  answer: Awaited<ReturnType<typeof ask>>,
  status: number,
  error: { type: string; anthropicType: string; code: string },
): void {
  const { anthropicType, ...openAi } = error;
  if (!route.includes('/v1/messages')) return expectError(answer, status, openAi);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toMatchObject({
    type: 'error',
    error: {
      type: anthropicType,
      message: expect.stringMatching(/\w/),
      details: { error_code: error.code },
    },
  });
}

/** Routes that Anthropic's SDKs call: they send the key in a header of its own. */
const takesKeyHeader = (route: string) => /v1\/(messages|models)/.test(route);
const INVALID_KEY = {
  type: 'invalid_request_error',
  anthropicType: 'authentication_error',
  code: 'invalid_api_key',
};

describe('every route', () => {
  it('is in the credential table and in the API document', () => {
    expect(registeredRoutes(site.gateway.app)).toEqual(tabledRoutes('gateway'));
    expect(registeredOperations(site.gateway.app)).toEqual(documentedOperations('gateway'));
  });

  it('GET /healthz is public and ignores an invalid credential', async () => {
    expect((await ask('GET /healthz')).status).toBe(200);
    expect((await ask('GET /healthz', { headers: bearer('rubbish') })).status).toBe(200);
  });

  it.each(closed)('%s accepts an API key with any capitalisation of the scheme', async (route) => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status } = await ask(route, { headers: { Authorization: `${scheme} ${account.apiKey}` } });
      expect([200, 400, 404]).toContain(status);
    }
  });

  it.each(closed)('%s accepts no other credential', async (route) => {
    const { key: unknown } = createApiKey();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const session = await new SignJWT({ sid: 'ses_1' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setSubject(account.accountId)
      .setIssuer(sessionIssuer('intl'))
      .setAudience(SESSION_AUDIENCE)
      .setExpirationTime('5m')
      .sign(privateKey);
    const attempts: Record<string, string>[] = [
      {},
      { Authorization: '' },
      { Authorization: account.apiKey },
      { Authorization: `Basic ${account.apiKey}` },
      { Authorization: `ApiKey ${account.apiKey}` },
      { Authorization: `Bearer ${account.apiKey} x` },
      bearer('rubbish'),
      bearer(unknown),
      bearer(account.apiKey.slice(0, -1)),
      bearer(`${account.apiKey.slice(0, -1)}${account.apiKey.endsWith('0') ? '1' : '0'}`),
      bearer(session),
      { 'X-API-Key': unknown },
      { 'api-key': unknown },
      ...(takesKeyHeader(route)
        ? [{ Authorization: 'Bearer rubbish', 'X-API-Key': account.apiKey }]
        : [{ 'X-API-Key': account.apiKey }, { 'api-key': account.apiKey }]),
      { Cookie: `session=${session}` },
    ];
    for (const headers of attempts) {
      const answer = await ask(route, { headers });
      expectRefusal(route, answer, 401, INVALID_KEY);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      for (const secret of Object.values(headers).filter((value) => value.length > 10))
        expect(answer.text).not.toContain(secret);
    }
    const [method = '', path = ''] = route.split(' ');
    const inQuery = await ask(`${method} ${path}?token=${account.apiKey}&api_key=${account.apiKey}`);
    expect(inQuery.status).toBe(401);
  });

  it.each(closed)('%s refuses a deleted key before its cache entry expires', async (route) => {
    const { apiKeyId, apiKey } = await insertApiKey(site.pool, account.accountId);
    expect((await ask(route, { headers: bearer(apiKey) })).status).not.toBe(401);
    await site.pool.query('DELETE FROM wallet.key_budgets WHERE api_key_id = $1', [apiKeyId]);
    await site.pool.query('DELETE FROM accounts.api_keys WHERE id = $1', [apiKeyId]);
    const refused = await waitFor(async () => {
      const answer = await ask(route, { headers: bearer(apiKey) });
      return answer.status === 401 && answer;
    }, WELL_BELOW_KEY_MILLIS);
    expectRefusal(route, refused, 401, INVALID_KEY);
  });

  it.each(closed.filter(takesKeyHeader))('%s accepts an API key in a header of its own', async (route) => {
    for (const name of ['X-API-Key', 'x-api-key', 'api-key']) {
      const { status } = await ask(route, { headers: { [name]: account.apiKey } });
      expect([200, 400, 404]).toContain(status);
    }
    const { status } = await ask(route, { headers: { 'X-API-Key': '', 'api-key': account.apiKey } });
    expect([200, 400, 404]).toContain(status);
  });
});

describe('errors have the format of OpenAI:', () => {
  const CHAT = 'POST /v1/chat/completions';
  const key = () => bearer(account.apiKey);
  const withModel = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });

  it.each([
    ['{"model":', /not valid JSON/],
    ['nonsense-that-stays-out-of-the-answer', /not valid JSON/],
    ['', /empty/],
    ['[]', /JSON object/],
  ])('400 for the body %j', async (body, message) => {
    const answer = await ask(CHAT, { headers: key(), body });
    expectError(answer, 400, { type: 'invalid_request_error', code: 'invalid_json', message });
    expect(answer.text).not.toContain('nonsense');
  });

  it('400 for an invalid field, with its name', async () => {
    const answer = await ask(CHAT, { headers: key(), body: '{"model":"sandbox-chat"}' });
    expectError(answer, 400, {
      type: 'invalid_request_error',
      code: 'invalid_value',
      param: 'messages',
      message: /^messages: /,
    });
  });

  it('400 for a path that cannot be decoded', async () => {
    const answer = await ask('GET /v1/models/%ff', { headers: key() });
    expectError(answer, 400, { type: 'invalid_request_error', code: null });
  });

  it('402 for an empty wallet', async () => {
    const { apiKey } = await site.account(0n);
    const answer = await ask(CHAT, { headers: bearer(apiKey), body: withModel('sandbox-chat') });
    expectError(answer, 402, {
      type: 'insufficient_quota',
      code: 'insufficient_balance',
      amounts: {
        currency: 'USD',
        available_amount: '0',
        required_amount: expect.stringMatching(/^0\.00\d+$/) as string,
        missing_amount: expect.stringMatching(/^0\.00\d+$/) as string,
        top_up_url: 'https://console.test/top-up?amount=0.01',
      },
    });
  });

  it('403 for a model that the key may not use', async () => {
    const { apiKey } = await insertApiKey(site.pool, account.accountId, { allowedModels: [] });
    const answer = await ask(CHAT, { headers: bearer(apiKey), body: withModel('sandbox-chat') });
    expectError(answer, 403, { type: 'permission_error', code: 'model_not_allowed', param: 'model' });
  });

  it('404 for an unknown model', async () => {
    const answer = await ask(CHAT, { headers: key(), body: withModel('unknown') });
    expectError(answer, 404, { type: 'invalid_request_error', code: 'model_not_found', param: 'model' });
  });

  it.each(['GET /v1', 'GET /v1/files', 'POST /v1/audio/voices', 'DELETE /v2/models', 'GET /v1/chat'])(
    '404 for %s',
    async (route) => {
      const answer = await ask(route, { headers: key() });
      expectError(answer, 404, { type: 'invalid_request_error', code: 'unknown_url' });
    },
  );

  it.each([
    ['GET /v1/chat/completions', 'POST'],
    ['PUT /v1/embeddings', 'POST'],
    ['GET /v1/responses', 'POST'],
    ['GET /', 'HEAD'],
    ['DELETE /v1/models', 'GET, HEAD'],
    ['DELETE /v1/models/sandbox-chat', 'GET, HEAD'],
    ['POST /healthz', 'GET, HEAD'],
  ])('405 for %s, with what is allowed', async (route, allowed) => {
    const answer = await ask(route, { headers: key() });
    expectError(answer, 405, { type: 'invalid_request_error', code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe(allowed);
  });

  it('413 for a body over the limit, also if only its decompressed size is', async () => {
    const large = Buffer.alloc(33 * MEBIBYTE, ' ');
    const packed = { 'Content-Encoding': 'gzip' };
    for (const [body, headers] of [
      [large, {}],
      [gzipSync(large), packed],
    ] as const) {
      const answer = await ask(CHAT, { headers: { ...key(), ...headers }, body: new Uint8Array(body) });
      expectError(answer, 413, { type: 'invalid_request_error', code: 'request_too_large' });
    }
  });

  it('415 for a body that is not JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await ask(CHAT, { headers: { ...key(), 'Content-Type': type }, body: '{}' });
      expectError(answer, 415, { type: 'invalid_request_error', code: 'unsupported_media_type' });
    }
    const encoded = await ask(CHAT, { headers: { ...key(), 'Content-Encoding': 'zopfli' }, body: '{}' });
    expectError(encoded, 415, { type: 'invalid_request_error', code: 'unsupported_media_type' });
  });

  it('502 when every upstream fails', async () => {
    const answer = await ask(CHAT, { headers: key(), body: withModel('sandbox-chat+status=500') });
    expectError(answer, 502, { type: 'server_error', code: 'upstream_error' });
  });

  it('504 when no upstream responds in time', async () => {
    const answer = await ask(CHAT, { headers: key(), body: withModel('sandbox-chat+hang') });
    expectError(answer, 504, { type: 'server_error', code: 'upstream_timeout' });
  });

  describe('without the database', () => {
    const askStranded = (route: string) => ask(route, { headers: bearer(account.apiKey), gateway: stranded });

    it.each(closed)('503 for %s', async (route) => {
      // A key may be cached for longer than what made the route before fail.
      const refused = await waitFor(async () => {
        const answer = await askStranded(route);
        return answer.status === 503 && answer;
      });
      expectRefusal(route, refused, 503, {
        type: 'server_error',
        anthropicType: 'api_error',
        code: 'database_unavailable',
      });
    });

    it('503 of every route no longer when it is back', async () => {
      databaseProxy.up();
      try {
        for (const route of closed) {
          const back = await waitFor(async () => {
            const answer = await askStranded(route);
            return answer.status !== 503 && answer;
          });
          expect({ route, status: back.status, isAnswer: [200, 400, 404].includes(back.status) }).toEqual({
            route,
            status: back.status,
            isAnswer: true,
          });
        }
      } finally {
        databaseProxy.down();
      }
      await waitFor(async () => (await ask('GET /healthz', { gateway: stranded })).status === 503);
    });
  });

  it('except of the health probe, which is the same in every service', async () => {
    const answer = await ask('GET /healthz', { gateway: stranded });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([503, { error: 'database unavailable' }]);
  });

  it('400 for invalid HTTP, and the gateway keeps running', async () => {
    const { hostname, port } = new URL(site.gateway.url);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('GET / nonsense\r\n\r\n'));
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask('GET /healthz')).status).toBe(200);
  });
});

describe('a path that is not served', () => {
  const to = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const {
      status,
      body,
      headers: answered,
    } = await new Promise<{
      status: number;
      body: { error: { message: string; code: string } };
      headers: IncomingHttpHeaders;
    }>((resolve, reject) => {
      // fetch would write the path differently.
      const sent = request(site.gateway.url, { method, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            body: JSON.parse(text) as { error: { message: string; code: string } },
            headers: response.headers,
          }),
        );
      });
      sent.on('error', reject).end();
    });
    expect(answered['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
    return { status, body, message: body.error.message };
  };

  it.each([
    ['POST', '/openai/v1/chat/completions', 'Write POST /v1/chat/completions.'],
    ['POST', '//v1//chat/completions?key=secret', 'Write POST /v1/chat/completions.'],
    ['POST', '/chat/completions', 'Write POST /v1/chat/completions.'],
    ['POST', '/v1/v1/messages', 'Write POST /v1/messages.'],
    ['POST', '/anthropic/v1/messages', 'Write POST /v1/messages.'],
    ['GET', '/models/sandbox-chat', 'Write GET /v1/models/sandbox-chat.'],
    ['POST', '/v1/fim/completions', 'Write POST /v1/completions with prompt and suffix.'],
    ['POST', '/fim/completions', 'Write POST /v1/completions with prompt and suffix.'],
  ])('%s %s is told what to write', async (method, path, advice) => {
    const { status, message, body } = await to(method, path);
    const asked = `${method} ${path.split('?')[0]!} is not served here.`;
    expect([status, message, body.error.code]).toEqual([404, `${asked} ${advice}`, 'unknown_url']);
  });

  it('is told what there is', async () => {
    const { message } = await to('POST', '/v1/assistants');
    expect(message).toMatch(
      /^POST \/v1\/assistants is not served here\. There are .*GET \/v1\/models, .*POST \/v1\/responses/,
    );
    expect(await to('GET', '/v1/chat/completions')).toMatchObject({
      status: 405,
      message: 'GET /v1/chat/completions is not served here. There is POST /v1/chat/completions.',
    });
    expect((await to('GET', `/${'x'.repeat(5_000)}`)).message.length).toBeLessThan(1_500);
  });

  it('is told in the shape of Anthropic to its clients', async () => {
    const { status, body } = await to('POST', '/messages', { 'anthropic-version': '2023-06-01' });
    expect([status, body]).toMatchObject([
      404,
      {
        type: 'error',
        error: {
          type: 'not_found_error',
          message: expect.stringContaining('Write POST /v1/messages.') as string,
        },
      },
    ]);
  });
});

const CHAT = '{"model":"sandbox-chat","messages":[{"role":"user","content":"x"}]}';

it('the id of a call is that of the console, whatever the client calls it', async () => {
  const headers = { Authorization: `Bearer ${account.apiKey}`, 'X-Request-Id': 'mine' };
  const ids: (string | null)[] = [];
  const statuses: number[] = [];
  for (const body of [CHAT, '{', '{"model":"no-such-model","messages":[]}']) {
    const answer = await fetch(`${site.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    await answer.text();
    statuses.push(answer.status);
    ids.push(answer.headers.get('x-request-id'));
    expect(answer.headers.get('x-inference-request-id')).toBe(ids.at(-1));
  }
  expect(statuses).toEqual([200, 400, 404]);
  expect(new Set(ids).size).toBe(3);
  const { rows } = await site.pool.query<{ id: string }>(
    'SELECT request_id AS id FROM metering.usage_events WHERE account_id = $1',
    [account.accountId],
  );
  expect(rows.map(({ id }) => id)).toContain(ids[0]);
  const unauthorized = await fetch(`${site.gateway.url}/v1/models`);
  expect(unauthorized.headers.get('x-request-id')).toMatch(/^req_/);
});
