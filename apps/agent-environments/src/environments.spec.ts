import { type INestApplication } from '@nestjs/common';
import { createService } from '@inference/http';
import {
  holdToContract,
  metricsOf,
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  rememberSecret,
  sendRequest,
  tabledRoutes,
  testLog,
} from '@inference/testing';
import { AppModule } from './app.module';
import { type AgentEnvironmentsConfig, readAgentEnvironmentsConfig } from './config';
import { SERVICE_OPTIONS } from './service-options';

const KEY = 'test-only-key-of-the-environments-0123456789';
const NOT_IMPLEMENTED = {
  error: { message: expect.any(String), type: 'not_implemented', resource: 'agents.environments' },
};
const UNAUTHORIZED = { error: 'missing, expired or invalid credential' };
const BASE = '/v1/agents/environments';
const SPECIFIED = [
  ['GET', BASE],
  ['POST', BASE],
  ['GET', `${BASE}/env_1`],
  ['GET', `${BASE}/env_1/files`],
  ['POST', `${BASE}/env_1/files`],
  ['GET', `${BASE}/templates`],
] as const;

async function start(environment: NodeJS.ProcessEnv): Promise<{ app: INestApplication; url: string }> {
  const fixed = { SITE: 'intl', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'trace' };
  const config: AgentEnvironmentsConfig = readAgentEnvironmentsConfig({ ...fixed, ...environment });
  config.API_KEY?.forEach(rememberSecret);
  const options = { ...SERVICE_OPTIONS, logTo: testLog('agent-environments') };
  const app = await createService(AppModule.forRoot(config), config, options);
  holdToContract(app, 'agent-environments');
  await app.listen(config.PORT, config.HOST);
  return { app, url: await app.getUrl() };
}

describe.each([
  ['without a key', {}, {}],
  ['with a key', { API_KEY: KEY }, { Authorization: `Bearer ${KEY}` }],
])('agent environments %s', (_name, environment, credential) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    ({ app, url } = await start(environment));
  });
  afterAll(() => app.close());

  async function send(method: string, path: string, request: Parameters<typeof sendRequest>[3] = {}) {
    const { status, headers, text } = await sendRequest(url, method, path, {
      headers: credential,
      ...request,
    });
    return { status, allow: headers.get('allow'), type: headers.get('content-type'), text };
  }

  it.each(SPECIFIED)('answer %s %s with the specified 501', async (method, path) => {
    const { status, type, text } = await send(method, path);
    expect([status, type, JSON.parse(text)]).toEqual([
      501,
      'application/json; charset=utf-8',
      NOT_IMPLEMENTED,
    ]);
  });

  it.each([
    ['{"name":"x"}', 'application/json'],
    ['{"name":', 'application/json'],
    ['name=x', 'application/x-www-form-urlencoded'],
    [`--b\r\n${'x'.repeat(300_000)}`, 'multipart/form-data; boundary=b'],
    ['\0\0', 'application/octet-stream'],
  ])('answer the same whatever the body is (%#)', async (body, type) => {
    for (const path of [BASE, `${BASE}/env_1/files`]) {
      const headers = { ...credential, 'Content-Type': type };
      expect((await send('POST', path, { content: body, headers })).status).toBe(501);
    }
  });

  it.each(['a%20b', '%00', '%2F', 'templates.', 'é', 'x'.repeat(2_000)])(
    'take any id, such as %s',
    async (id) => {
      expect((await send('GET', `${BASE}/${id}`)).status).toBe(501);
      expect((await send('GET', `${BASE}/${id}/files`)).status).toBe(501);
    },
  );

  it('answer the same whatever the query is', async () => {
    for (const [method, path] of SPECIFIED)
      expect((await send(method, `${path}?limit=x&limit=y`)).status).toBe(501);
  });

  it('describe themselves', async () => {
    const document = await fetch(`${url}/openapi.json`);
    expect([document.status, await document.json()]).toEqual([
      200,
      expect.objectContaining({ openapi: '3.1.0' }),
    ]);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
  });

  it.each([
    ['PUT', BASE, 'GET, HEAD, POST'],
    ['DELETE', `${BASE}/env_1`, 'GET, HEAD'],
    ['POST', `${BASE}/env_1`, 'GET, HEAD'],
    ['POST', `${BASE}/templates`, 'GET, HEAD'],
    ['DELETE', `${BASE}/env_1/files`, 'GET, HEAD, POST'],
  ])('answer %s %s with 405', async (method, path, allowed) => {
    const { status, allow, text } = await send(method, path);
    expect([status, allow, JSON.parse(text)]).toEqual([405, allowed, { error: 'method not allowed' }]);
  });

  it.each([
    '/',
    '/v1',
    '/v1/agents',
    `${BASE}/env_1/files/a`,
    `${BASE}/env_1/other`,
    '/v2/agents/environments',
  ])('answer the unknown path %s with 404', async (path) => {
    const { status, text } = await send('GET', path);
    expect([status, JSON.parse(text)]).toEqual([404, { error: 'not found' }]);
  });

  it('answer a path that cannot be decoded with 400', async () => {
    const { status, text } = await send('GET', `${BASE}/%E0%A4%A`);
    expect([status, JSON.parse(text)]).toEqual([400, { error: 'the path is not valid' }]);
  });

  it('are healthy, and measured, for everyone', async () => {
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    expect(await metricsOf(app)).toContain('http_request_duration_seconds');
  });

  it('have all their routes in the table of credentials', () => {
    for (const table of ['agent-environments', 'agent-environments-with-key'])
      expect(registeredRoutes(app)).toEqual(tabledRoutes(table));
    expect(registeredOperations(app)).toEqual(documentedOperations('agent-environments'));
  });

  it('do not take templates for an id', async () => {
    await send('GET', `${BASE}/templates`);
    expect(await metricsOf(app)).toContain(
      `http_request_duration_seconds_count{method="GET",route="${BASE}/templates"`,
    );
  });
});

describe('agent environments with a key', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    ({ app, url } = await start({ API_KEY: KEY }));
  });
  afterAll(() => app.close());

  const wrong: Record<string, string>[] = [
    {},
    { Authorization: '' },
    { Authorization: KEY },
    { Authorization: 'Bearer' },
    { Authorization: `Bearer ${KEY}x` },
    { Authorization: `Bearer ${KEY.slice(0, -1)}` },
    { Authorization: `Bearer ${KEY.toUpperCase()}` },
    { Authorization: `Bearer ${KEY} ${KEY}` },
    { Authorization: `ApiKey ${KEY}` },
    { Authorization: `Basic ${Buffer.from(`:${KEY}`).toString('base64')}` },
    { 'X-API-Key': KEY },
    { Cookie: `session=${KEY}` },
  ];

  it.each(SPECIFIED)('refuse %s %s first, with 401', async (method, path) => {
    for (const headers of wrong) {
      const response = await fetch(url + path, { method, headers });
      expect([headers, response.status]).toEqual([headers, 401]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual(UNAUTHORIZED);
    }
  });

  it.each(['bearer', 'BEARER', 'Bearer '])('take the scheme written as "%s"', async (scheme) => {
    const response = await fetch(url + BASE, { headers: { Authorization: `${scheme} ${KEY}` } });
    expect(response.status).toBe(501);
  });

  it('accept two keys while one replaces the other', async () => {
    const other = 'o'.repeat(32);
    const two = await start({ API_KEY: `${KEY},${other}` });
    const statuses = [KEY, other, `${KEY},${other}`].map(async (key) => {
      const response = await fetch(two.url + BASE, { headers: { Authorization: `Bearer ${key}` } });
      return response.status;
    });
    expect(await Promise.all(statuses)).toEqual([501, 501, 401]);
    await two.app.close();
  });

  it('need no key if none is configured', async () => {
    expect((await fetch(`${url}/v1/agents`)).status).toBe(404);
    expect((await fetch(url + BASE, { method: 'PUT' })).status).toBe(405);
  });
});

describe('the configuration', () => {
  const SOUND = { SITE: 'intl', PORT: '0' };
  it('accepts no key at all, and refuses a key that is weak or cannot be sent', () => {
    expect(readAgentEnvironmentsConfig(SOUND).API_KEY).toBeUndefined();
    expect(readAgentEnvironmentsConfig({ ...SOUND, API_KEY: '' }).API_KEY).toBeUndefined();
    expect(readAgentEnvironmentsConfig({ ...SOUND, API_KEY: KEY }).API_KEY).toEqual([KEY]);
    for (const key of ['short', `${KEY},short`, `${KEY} ${KEY}`, `${KEY}é`]) {
      expect(() => readAgentEnvironmentsConfig({ ...SOUND, API_KEY: key })).toThrow(
        /API_KEY \(at \d\): must have/,
      );
    }
  });
});
