import {
  API_KEY_ROWS,
  type ApiKeyRow,
  createTestDatabase,
  insertAccount,
  insertApiKey,
  KEY_HOLDERS,
  type KeyHolder,
  publishPrices,
  publishTrainingPrice,
  rememberRequest,
  type Sight,
  type TestDatabase,
} from '@inference/testing';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** Proves the table of routes and API keys with requests to the whole site. */

const CUSTOMER = { email: 'customer@example.com', password: 'correct horse battery' };
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };
const ALLOWED = 'sandbox-chat';
const FORBIDDEN = 'sandbox-mini';
const FORBIDDEN_EMBEDDER = 'sandbox-embed';
/** One of each task. */
const FORBIDDEN_TASKS = ['rerank', 'image', 'audio', 'speech', 'moderation'].map((task) => `sandbox-${task}`);
const MODELS = [ALLOWED, FORBIDDEN, FORBIDDEN_EMBEDDER, ...FORBIDDEN_TASKS];
const BALANCE_PICOS = 10n ** 15n;
const SPEND_LIMIT_PICOS = 10n ** 12n;
const SESSIONS = '/v1/agents/sessions';
const MESSAGES = [{ role: 'user', content: 'Hello' }];
/** An answer that the caller brings along: it calls no model. */
const BROUGHT = { role: 'assistant', content: 'Hello' };

interface Owner {
  accountId: string;
  token: string;
}

interface Holder {
  name: KeyHolder;
  owner: Owner;
  /** An API key or a session token. */
  credential: string;
  apiKeyId?: string;
}

let database: TestDatabase;
let site: Site;
let services: Record<string, ServiceProcess>;
let customer: Owner;
let admin: Owner;
let holders: Record<KeyHolder, Holder>;

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine());
  const [agent, routerCost, training] = await Promise.all([
    site.startAgent(gateway),
    site.startRouterCost(),
    site.startPlain('training'),
  ]);
  const consoleApp = await site.startConsole({ GATEWAY_URL: gateway.url, AGENT_URL: agent.url });
  services = { console: consoleApp, gateway, agent, 'router-cost': routerCost, training };
  await publishPrices(
    database.pool,
    MODELS.flatMap((slug) => [
      { slug, unit: 'per_million_tokens' as const, ratePicos: 1_000n },
      { slug, unit: 'per_request' as const, ratePicos: 0n },
    ]),
  );
  await publishTrainingPrice(database.pool, 1n);
  await publishPackage(FORBIDDEN);
  await consoleBody(consoleApp.url, 'POST', '/api/auth/register', { json: CUSTOMER, status: 201 });
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  customer = await signIn(CUSTOMER);
  admin = await signIn(ADMIN);
  for (const { accountId } of [customer, admin]) {
    await database.pool.query('UPDATE wallet.wallets SET balance_picos = $2 WHERE account_id = $1', [
      accountId,
      BALANCE_PICOS,
    ]);
    await database.pool.query('INSERT INTO training.quotas VALUES ($1, 900, 400)', [accountId]);
  }
  holders = {
    plain: await holderOf('plain', customer, {}),
    restricted: await holderOf('restricted', customer, limits),
    admin: await holderOf('admin', admin, {}),
    'restricted-admin': await holderOf('restricted-admin', admin, limits),
    session: { name: 'session', owner: customer, credential: customer.token },
  };
  await makeCalls();
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const limits = { allowedModels: [ALLOWED], spendLimitPicos: SPEND_LIMIT_PICOS };

async function holderOf(
  name: KeyHolder,
  owner: Owner,
  options: Parameters<typeof insertApiKey>[2],
): Promise<Holder> {
  const { apiKey, apiKeyId } = await insertApiKey(database.pool, owner.accountId, options);
  return { name, owner, credential: apiKey, apiKeyId };
}

async function signIn({ email, password }: typeof CUSTOMER): Promise<Owner> {
  const json = { identifier: email, password };
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    services.console!.url,
    'POST',
    '/api/auth/login',
    { json },
  );
  return { accountId: user.id, token };
}

async function publishPackage(slug: string): Promise<void> {
  const { accountId } = await insertAccount(database.pool);
  await database.pool.query(
    `INSERT INTO catalogue.packages (id, slug, version, file_name, size, sha256, uploaded_by, stored_at, published_at)
     VALUES ('pkg_test', $1, '1', 'model.gguf', 1, sha256(''), $2, now(), now())`,
    [slug, accountId],
  );
  await database.pool.query(
    `INSERT INTO catalogue.models (id, slug, name, description, package_id, changed_at)
     VALUES ('model_test', $1, $1, '', 'pkg_test', now())`,
    [slug],
  );
}

interface Answer {
  status: number;
  body: unknown;
}

async function ask(
  service: string,
  method: string,
  path: string,
  credential: string,
  content?: unknown,
): Promise<Answer> {
  const isToken = !credential.startsWith('bfvk-');
  const isForm = content instanceof FormData;
  const headers = {
    Accept: 'application/json',
    ...(content !== undefined && !isForm && { 'Content-Type': 'application/json' }),
    ...(isToken && service === 'router-cost'
      ? { Cookie: `session=${credential}` }
      : { Authorization: `Bearer ${credential}` }),
  };
  const url = services[service]!.url + path;
  rememberRequest(url, headers, content);
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(content !== undefined && { body: isForm ? content : JSON.stringify(content) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** One call of a model by each holder: the session by the console's playground. */
async function makeCalls(): Promise<void> {
  const call = { model: ALLOWED, max_tokens: 4, messages: MESSAGES };
  for (const { name, credential } of Object.values(holders)) {
    const { status } =
      name === 'session'
        ? await ask('console', 'POST', '/api/playground/chat/completions', credential, call)
        : await ask('gateway', 'POST', '/v1/chat/completions', credential, call);
    expect([name, status]).toEqual([name, 200]);
  }
}

let sessionCount = 0;
const newSessionId = () => `session-${++sessionCount}`;

/** A session that the console made for the account, with one event. */
async function consoleSession({ token }: Owner): Promise<{ id: string; eventId: string }> {
  const id = newSessionId();
  const made = await ask('console', 'POST', '/api/agents/sessions', token, { id });
  const path = `/api/agents/sessions/${id}/events`;
  const event = await ask('console', 'POST', path, token, { role: 'user', content: 'Hello' });
  expect([made.status, event.status]).toEqual([201, 200]);
  return { id, eventId: (event.body as { id: string }).id };
}

type Look = (holder: Holder) => Promise<Sight>;

/** `account` for an accepted request, `key` for the refusal that what others made or may use gets, `refused` for 401. */
function sightOf({ status, body }: Answer, refusal: number): Sight {
  if (status === 401) return 'refused';
  if (status === refusal) return 'key';
  if (status < 400) return 'account';
  throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Asks for a model that the restricted keys may not use. */
const ofModel =
  (service: string, method: string, path: string, refusal: number, content?: object): Look =>
  async ({ credential }) =>
    sightOf(await ask(service, method, path, credential, content), refusal);

/** Reaches a session that the console made. */
const ofSession =
  (method: string, path: string, content?: object): Look =>
  async ({ credential, owner }) => {
    const { id, eventId } = await consoleSession(owner);
    const answer = await ask(
      'agent',
      method,
      `${SESSIONS}/${id}${path.replace(':event_id', eventId)}`,
      credential,
      content,
    );
    return sightOf(answer, 404);
  };

/** Reaches a response that is stored for the account, of another key. @param reached the status of who reaches it */
const ofResponse =
  (method: string, path = '', reached = 200): Look =>
  async ({ credential, owner: { accountId } }) => {
    const id = `resp_${newSessionId()}`;
    const body = {
      id,
      object: 'response',
      status: 'completed',
      model: ALLOWED,
      output: [],
      store: true,
      usage: null,
    };
    await database.pool.query(
      `UPDATE accounts.accounts SET stores_responses = true, stores_responses_set_at = coalesce(stores_responses_set_at, now())
       WHERE id = $1`,
      [accountId],
    );
    await database.pool.query(
      `INSERT INTO responses.stored (account_id, id, api_key_id, input, response, bytes) VALUES ($1, $2, 'key_other', '[]', $3, 1)`,
      [accountId, id, Buffer.from(JSON.stringify(body))],
    );
    const answer = await ask('gateway', method, `/v1/responses/${id}${path}`, credential);
    return answer.status === reached ? 'account' : sightOf(answer, 404);
  };

const CHAT = { model: FORBIDDEN, max_tokens: 4, messages: MESSAGES };
const COMPLETION = { model: FORBIDDEN, max_tokens: 4, prompt: 'Hello' };
const EMBEDDING = { model: FORBIDDEN_EMBEDDER, input: 'Hello' };
const RESPONSE = { model: FORBIDDEN, max_output_tokens: 4, input: 'Hello' };

/** @param fields without them a form with a file is sent */
function ofTask(path: string, fields?: object): Look {
  const names: Record<string, string> = { images: 'image', moderations: 'moderation', rerank: 'rerank' };
  const task = path === 'audio/speech' ? 'speech' : (names[path.split('/')[0]!] ?? 'audio');
  const model = `sandbox-${task}`;
  if (fields) return ofModel('gateway', 'POST', `/v1/${path}`, 403, { model, ...fields });
  const form = new FormData();
  form.set('model', model);
  form.set('file', new Blob(['audio']), 'a.wav');
  return ofModel('gateway', 'POST', `/v1/${path}`, 403, form);
}

const LOOKS: Record<string, Look> = {
  'console GET /api/models/*slug/download': ofModel(
    'console',
    'GET',
    `/api/models/${FORBIDDEN}/download`,
    403,
  ),
  'gateway GET /v1/models': async ({ credential }) => {
    const answer = await ask('gateway', 'GET', '/v1/models', credential);
    if (answer.status !== 200) return sightOf(answer, 200);
    const ids = (answer.body as { data: { id: string }[] }).data.map(({ id }) => id).sort();
    expect([[ALLOWED], [...MODELS].sort()]).toContainEqual(ids);
    return ids.length === 1 ? 'key' : 'account';
  },
  'gateway GET /v1/models/*slug': ofModel('gateway', 'GET', `/v1/models/${FORBIDDEN}`, 404),
  'gateway POST /v1/chat/completions': ofModel('gateway', 'POST', '/v1/chat/completions', 403, CHAT),
  'gateway POST /v1/chat/completions/estimate': ofModel(
    'gateway',
    'POST',
    '/v1/chat/completions/estimate',
    403,
    CHAT,
  ),
  'gateway POST /v1/completions': ofModel('gateway', 'POST', '/v1/completions', 403, COMPLETION),
  'gateway POST /v1/embeddings': ofModel('gateway', 'POST', '/v1/embeddings', 403, EMBEDDING),
  'gateway POST /v1/rerank': ofTask('rerank', { query: 'x', documents: ['y'] }),
  'gateway POST /v1/images/generations': ofTask('images/generations', { prompt: 'x' }),
  'gateway POST /v1/audio/transcriptions': ofTask('audio/transcriptions'),
  'gateway POST /v1/audio/translations': ofTask('audio/translations'),
  'gateway POST /v1/audio/speech': ofTask('audio/speech', { input: 'x', voice: 'alloy' }),
  'gateway POST /v1/moderations': ofTask('moderations', { input: 'x' }),
  'gateway POST /v1/messages': ofModel('gateway', 'POST', '/v1/messages', 403, CHAT),
  'gateway POST /v1/messages/count_tokens': ofModel(
    'gateway',
    'POST',
    '/v1/messages/count_tokens',
    403,
    CHAT,
  ),
  'gateway POST /v1/responses': ofModel('gateway', 'POST', '/v1/responses', 403, RESPONSE),
  'gateway GET /v1/responses/:response_id': ofResponse('GET'),
  'gateway DELETE /v1/responses/:response_id': ofResponse('DELETE'),
  'gateway GET /v1/responses/:response_id/input_items': ofResponse('GET', '/input_items'),
  'gateway POST /v1/responses/:response_id/cancel': ofResponse('POST', '/cancel', 400),
  'router-cost GET /v1/router/cost': async ({ credential, apiKeyId }) => {
    const sights = new Set<Sight>();
    for (const query of ['', '&accounts=own', '&granularity=day']) {
      const path = `/v1/router/cost?group_by=user,api_key&limit=100${query}`;
      const { status, body } = await ask('router-cost', 'GET', path, credential);
      expect(status).toBe(200);
      const { items } = body as { items: { user: string; api_key: string | null }[] };
      const isOwn = items.length === 1 && items[0]!.api_key === apiKeyId;
      if (new Set(items.map(({ user }) => user)).size > 1) sights.add('all');
      else if (query !== '&accounts=own') sights.add(isOwn ? 'key' : 'account');
    }
    expect(sights.size).toBe(1);
    return [...sights][0]!;
  },
  'training GET /v1/capabilities': async ({ credential }) => {
    const { status, body } = await ask('training', 'GET', '/v1/capabilities', credential);
    expect(status).toBe(200);
    const { balance, quota } = (body as { data: { balance: number; quota: object } }).data;
    const isLimited = balance <= Number(SPEND_LIMIT_PICOS) / 1e12;
    expect(quota).toEqual(isLimited ? { total: 500, used: 0 } : { total: 900, used: 400 });
    return isLimited ? 'key' : 'account';
  },
  'agent POST /v1/agents/sessions': async ({ credential, owner }) => {
    const id = newSessionId();
    const answer = await ask('agent', 'POST', SESSIONS, credential, { id });
    if (answer.status !== 201) return sightOf(answer, 201);
    const other = await holderOf('restricted', owner, limits);
    const statusFor = async (service: string, path: string, by: string) =>
      (await ask(service, 'GET', `${path}/${id}`, by)).status;
    expect([
      await statusFor('agent', SESSIONS, credential),
      await statusFor('console', '/api/agents/sessions', owner.token),
      await statusFor('agent', SESSIONS, other.credential),
    ]).toEqual([200, 200, 404]);
    return 'own';
  },
  'agent GET /v1/agents/sessions': async ({ credential, owner }) => {
    const { id: foreign } = await consoleSession(owner);
    const own = newSessionId();
    await ask('agent', 'POST', SESSIONS, credential, { id: own });
    const answer = await ask('agent', 'GET', `${SESSIONS}?limit=100`, credential);
    if (answer.status !== 200) return sightOf(answer, 200);
    const ids = (answer.body as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
    expect(ids).toContain(own);
    return ids.includes(foreign) ? 'account' : 'key';
  },
  'agent GET /v1/agents/sessions/:session_id': ofSession('GET', ''),
  'agent PATCH /v1/agents/sessions/:session_id': ofSession('PATCH', '', { metadata: {} }),
  'agent DELETE /v1/agents/sessions/:session_id': ofSession('DELETE', ''),
  'agent POST /v1/agents/sessions/:session_id/cancel': ofSession('POST', '/cancel'),
  'agent POST /v1/agents/sessions/:session_id/events': ofSession('POST', '/events?on_busy=enqueue', BROUGHT),
  'agent POST /v1/agents/sessions/:session_id/events/stream': ofSession(
    'POST',
    '/events/stream?on_busy=enqueue',
    BROUGHT,
  ),
  'agent GET /v1/agents/sessions/:session_id/events/stream': ofSession('GET', '/events/stream'),
  'agent GET /v1/agents/sessions/:session_id/events': ofSession('GET', '/events'),
  'agent GET /v1/agents/sessions/:session_id/events/:event_id': ofSession('GET', '/events/:event_id'),
};

test.each(API_KEY_ROWS)('$service $route', async ({ service, route, sights }: ApiKeyRow) => {
  const look = LOOKS[`${service} ${route}`]!;
  const seen: Partial<Record<KeyHolder, Sight>> = {};
  for (const name of KEY_HOLDERS) seen[name] = await look(holders[name]);
  expect(seen).toEqual(sights);
});
