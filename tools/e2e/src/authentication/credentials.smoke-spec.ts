import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestDatabase,
  type Credential,
  type CredentialRow,
  credentialRows,
  publishTrainingPrice,
  rememberRequest,
  rememberSecret,
  TABLED_SERVICES,
  type TestDatabase,
} from '@inference/testing';
import { decodeJwt } from 'jose';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const CUSTOMER = { email: 'customer@example.com', password: 'correct horse battery' };
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };
const ENVIRONMENTS_KEY = randomBytes(20).toString('hex');
const CLOSED = 401;
const CLIENT_ERROR = 400;

let database: TestDatabase;
let site: Site;
let services: Record<string, ServiceProcess>;
let consoleUrl: string;
let apiKey: string;
let managementKey: string;
let deletedKey: string;
let workspaceKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const engine = await site.startEngine();
  const gateway = await site.startGateway(engine);
  const agent = await site.startPlain('agent');
  const routerCost = await site.startRouterCost();
  const consoleApp = await site.startConsole({
    GATEWAY_URL: gateway.url,
    AGENT_URL: agent.url,
    ROUTER_URL: routerCost.url,
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
  });
  consoleUrl = consoleApp.url;
  services = {
    console: consoleApp,
    gateway,
    'router-cost': routerCost,
    training: await site.startPlain('training'),
    agent,
    memo: await site.startPlain('memo'),
    'agent-environments': await site.startPlain('agent-environments'),
    'agent-environments-with-key': await site.startPlain('agent-environments', { API_KEY: ENVIRONMENTS_KEY }),
  };
  await publishTrainingPrice(database.pool, 1n);
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  const options = { json: CUSTOMER, status: 201 };
  const { token } = await consoleBody<{ token: string }>(consoleUrl, 'POST', '/api/auth/register', options);
  ({ key: apiKey } = await makeApiKey(token));
  ({ key: managementKey } = await makeApiKey(token, 'management'));
  const { id, key } = await makeApiKey(token);
  deletedKey = key;
  await consoleBody(consoleUrl, 'DELETE', `/api/api-keys/${id}`, { token, status: 204 });
  workspaceKey = await makeWorkspaceKey(token);
  rememberSecret(ENVIRONMENTS_KEY);
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const makeApiKey = (token: string, kind = 'api') =>
  consoleBody<{ id: string; key: string }>(consoleUrl, 'POST', '/api/api-keys', {
    token,
    json: { name: 'e2e', kind },
    status: 201,
  });

/** Id of a workspace of the customer. */
async function makeWorkspaceKey(token: string): Promise<string> {
  const post = <T>(path: string) =>
    consoleBody<T>(services.memo!.url, 'POST', path, { token, json: { name: 'e2e' }, status: 201 });
  const { id } = await post<{ id: string }>('/v1/workspaces');
  return (await post<{ key: string }>(`/v1/workspaces/${id}/keys`)).key;
}

async function signIn({ email, password }: typeof CUSTOMER): Promise<string> {
  const json = { identifier: email, password };
  const { token } = await consoleBody<{ token: string }>(consoleUrl, 'POST', '/api/auth/login', { json });
  return token;
}

interface Carried {
  headers?: Record<string, string>;
  query?: string;
}

const cookie = (token: string): Carried => ({ headers: { Cookie: `session=${token}` } });
const bearer = (token: string): Carried => ({ headers: { Authorization: `Bearer ${token}` } });

/** One of each credential, with new sessions. */
async function newCredentials(): Promise<Record<Credential, Carried>> {
  const session = await signIn(CUSTOMER);
  const claims = decodeJwt(session);
  const justNow = Math.floor(Date.now() / 1000) - 1;
  const expired = await site.signToken({ ...claims, exp: justNow });
  const elsewhere = await site.signToken({ ...claims, iss: 'inference-platform/cn' });
  return {
    none: {},
    session: bearer(session),
    expired: bearer(expired),
    elsewhere: bearer(elsewhere),
    admin: bearer(await signIn(ADMIN)),
    key: bearer(apiKey),
    mgmt: bearer(managementKey),
    deleted: bearer(deletedKey),
    sk_: { headers: { 'X-API-Key': workspaceKey } },
    cookie: cookie(session),
    'cookie-old': cookie(expired),
    'cookie-else': cookie(elsewhere),
    '?token=': { query: `?token=${session}` },
    API_KEY: bearer(ENVIRONMENTS_KEY),
  };
}

async function statusOf({ service, method, path }: CredentialRow, { headers, query = '' }: Carried) {
  const url = services[service]!.url + path.replace(/[:*]\w+/g, 'unknown') + query;
  const content = ['GET', 'HEAD', 'DELETE'].includes(method) ? undefined : {};
  const type = content && { 'Content-Type': 'application/json' };
  const sent = { Accept: 'application/json', ...type, ...headers };
  rememberRequest(url, sent, content);
  const response = await fetch(url, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(content && { body: JSON.stringify(content) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whether an accepted request of the route may have ended the session. */
const mayEndSessions = ({ method, statuses }: CredentialRow): boolean =>
  method !== 'GET' && Object.values(statuses).some((status) => status < CLIENT_ERROR);

describe.each(TABLED_SERVICES)('%s', (service) => {
  /** Two people sign in for each, and hashing their passwords would take half of this file. */
  let credentials: Record<Credential, Carried> | undefined;

  test.each(credentialRows(service))('$route', async (row) => {
    credentials ??= await newCredentials();
    const expected = Object.entries(row.statuses) as [Credential, number][];
    const isClosed = ([, status]: [Credential, number]) => status === CLOSED;
    // Refused credentials first, because an accepted request may end the session.
    const ordered = [...expected.filter(isClosed), ...expected.filter((entry) => !isClosed(entry))];
    const answered: Partial<CredentialRow['statuses']> = {};
    for (const [name] of ordered) answered[name] = await statusOf(row, credentials[name]);
    if (mayEndSessions(row)) credentials = undefined;
    expect(answered).toEqual(row.statuses);
  });
});

describe('the answers in docs/operations/security.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations/security.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z]+) (\S+)` \| ([\w ]+) \| (\d+) \| (\w+) \| (.+) \|$/gm)].map(
    ([, method = '', path = '', service = '', status = '', policy = '', cache = '']) => {
      const others = /^all but (.+)$/.exec(service)?.[1]?.split(' and ');
      const asked = TABLED_SERVICES.filter((name) =>
        others ? !others.includes(name) : service === 'every' || name === service,
      );
      return { method, path, service, asked, status, policy, cache };
    },
  );
  const everywhere = Object.fromEntries(
    [...page.matchAll(/^([A-Z][\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const policies: Record<string, string> = { service: "default-src 'self'", pages: "default-src 'none'" };

  test('name the headers that forbid framing, guessing of content types, and later requests without TLS', () => {
    expect(everywhere).toMatchObject({
      'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/) as string,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
  });

  test.each(rows)('$method $path of $service', async ({ method, path, asked, status, policy, cache }) => {
    expect(asked.length).toBeGreaterThan(0);
    for (const service of asked) {
      const response = await fetch(services[service]!.url + path, { method });
      await response.arrayBuffer();
      const headers = Object.fromEntries(response.headers);
      expect({ service, status: response.status, ...headers }).toMatchObject({
        service,
        status: Number(status),
        ...everywhere,
        'content-security-policy': expect.stringContaining(policies[policy]!) as string,
      });
      expect([service, headers['cache-control'] ?? 'none']).toEqual([service, cache]);
      expect([headers['x-powered-by'], headers.server]).toEqual([undefined, undefined]);
    }
  });
});

test.each(['session', 'cookie'] as const)('no service accepts a forged %s', async (how) => {
  const claims = decodeJwt(await signIn(CUSTOMER));
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encode({ alg: 'HS256', kid: 'e2e' })}.${encode(claims)}`;
  const jwks = await (await fetch(`${consoleUrl}/.well-known/jwks.json`)).text();
  const forgeries = [
    `${encode({ alg: 'none' })}.${encode(claims)}.`,
    `${content}.${createHmac('sha256', jwks).update(content).digest('base64url')}`,
    await site.signToken({ ...claims, aud: 'elsewhere' }),
    await site.signToken({ ...claims, sid: 'sess_unknown' }),
    await site.signToken({ ...claims, sub: 'acct_unknown' }),
  ];
  const closed = TABLED_SERVICES.flatMap(credentialRows).filter(({ statuses }) => statuses.none === CLOSED);
  for (const row of closed)
    for (const token of forgeries)
      expect([row.route, await statusOf(row, how === 'cookie' ? cookie(token) : bearer(token))]).toEqual([
        row.route,
        CLOSED,
      ]);
});

test('a token with the signature of the expired one is accepted before its expiry', async () => {
  const claims = decodeJwt(await signIn(CUSTOMER));
  const row = credentialRows('console').find(({ route }) => route === 'GET /api/auth/me')!;
  expect(await statusOf(row, bearer(await site.signToken(claims)))).toBe(200);
});
