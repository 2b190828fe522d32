import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import {
  createTestDatabase,
  insertAccount,
  readApiDocument,
  rememberSecret,
  ResponseChecker,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { consoleBody } from '../site/console-client';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** The limits of time and memory for bodies, with what each service answers to those who hold a credential. */

const MEBIBYTE = 1024 * 1024;
/** The least that the configuration takes: three of the largest bodies of the gateway, and room for small ones. */
const BODY_MEMORY_BYTES = 128 * MEBIBYTE;
const LARGEST_BODY_BYTES = 32 * MEBIBYTE;
/** The largest of the small bodies. */
const PROBE_BYTES = 64 * 1024;
const COMPLETIONS = '/v1/chat/completions';
const CUSTOMER = { email: 'customer@example.com', password: 'correct horse battery' };
const TRAINER = randomBytes(24).toString('hex');

let database: TestDatabase;
let site: Site;
let services: Record<string, ServiceProcess>;
/** The Authorization header for each service. */
let credentials: Record<string, string>;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const memory = { BODY_MEMORY_BYTES: String(BODY_MEMORY_BYTES), TRUST_PROXY: '1' };
  services = {
    console: await site.startConsole(),
    gateway: await site.startGateway({ url: 'http://127.0.0.1:9' }, memory),
    training: await site.startPlain('training', { TRAINER_CREDENTIALS: TRAINER }),
    agent: await site.startPlain('agent'),
    memo: await site.startPlain('memo'),
  };
  rememberSecret(TRAINER);
  const { apiKey } = await insertAccount(database.pool, { balancePicos: 10n ** 12n });
  const registration = { json: CUSTOMER, status: 201 };
  const register = '/api/auth/register';
  const { token } = await consoleBody<{ token: string }>(
    services.console!.url,
    'POST',
    register,
    registration,
  );
  credentials = { console: token, gateway: apiKey, training: TRAINER, agent: apiKey, memo: token };
});
afterAll(async () => {
  agent.destroy();
  await site?.stop();
  await database?.drop();
});

/** Begins a request with a JSON body of a length. */
function begin(name: string, path: string, length: number, headers: Record<string, string> = {}) {
  const sent = request(services[name]!.url + path, {
    agent,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${credentials[name]}`,
      'Content-Type': 'application/json',
      'Content-Length': length,
      ...headers,
    },
  });
  return sent.on('error', () => undefined);
}

/** The response, with what is not as the document of the service says. */
async function answerTo(sent: ClientRequest, name: string, route: string) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  const body = await buffer(response);
  const checker = new ResponseChecker(readApiDocument(name));
  return { status, headers, faults: checker.faultsOf({ method: 'POST', route, status, headers, body }) };
}

it('every service cuts a body that pauses, and closes its connection', async () => {
  const stalled: [name: string, path: string][] = [
    ['console', '/api/auth/login'],
    ['console', '/api/api-keys'],
    ['gateway', COMPLETIONS],
    ['training', '/v1/internal/usage'],
    ['agent', '/v1/agents/sessions'],
    ['memo', '/v1/workspaces'],
  ];
  const cut = stalled.map(async ([name, path]) => {
    const sent = begin(name, path, 100);
    const closed = once(sent, 'close');
    sent.write('{"a":');
    const { status, headers, faults } = await answerTo(sent, name, path);
    await closed;
    return [path, status, headers.connection, faults];
  });
  expect(await Promise.all(cut)).toEqual(stalled.map(([, path]) => [path, 408, 'close', []]));
});

it('the gateway refuses bodies for which it has no memory, until the others end', async () => {
  const probe = (key: string) => {
    const sent = begin('gateway', COMPLETIONS, PROBE_BYTES, { Authorization: `Bearer ${key}` });
    sent.end(JSON.stringify({ model: 'none', messages: [] }).padEnd(PROBE_BYTES));
    return answerTo(sent, 'gateway', COMPLETIONS);
  };
  const largest = Buffer.alloc(LARGEST_BODY_BYTES - 1, ' ');
  /**
   * Sends a body but for its last byte, and returns once a probe of the same client is refused. A probe may come while the
   * gateway still reads the body, and take the rest of the client's memory from it. Then the body is sent again.
   */
  const hold = async (key: string) => {
    for (;;) {
      const sent = begin('gateway', COMPLETIONS, LARGEST_BODY_BYTES, { Authorization: `Bearer ${key}` });
      let ended = false;
      sent.on('response', (response: IncomingMessage) => response.resume()).on('close', () => (ended = true));
      await new Promise((resolve) => sent.write(largest, resolve));
      const refused = await waitFor(async () => {
        const answer = await probe(key);
        return ended ? 'again' : answer.status === 429 && answer;
      });
      if (refused !== 'again') return { sent, refused };
    }
  };
  const keys: string[] = [];
  while (keys.length < 4) keys.push((await insertAccount(database.pool)).apiKey);
  const held: ClientRequest[] = [];
  for (const key of keys.slice(0, 3)) {
    const { sent, refused } = await hold(key);
    held.push(sent);
    expect([refused.headers['retry-after'], refused.faults]).toEqual(['1', []]);
  }
  const key = keys[3]!;
  const large = begin('gateway', COMPLETIONS, LARGEST_BODY_BYTES, { Authorization: `Bearer ${key}` });
  large.write(largest);
  const { status, headers, faults } = await answerTo(large, 'gateway', COMPLETIONS);
  expect([status, headers['retry-after'], faults]).toEqual([503, '1', []]);
  large.destroy();
  expect((await probe(key)).status).toBe(404);
  for (const sent of held) sent.destroy();
  for (const one of keys) await waitFor(async () => (await probe(one)).status === 404);
});

it('the gateway serves others while an account holds eight packed bodies from four addresses', async () => {
  const { apiKey } = await insertAccount(database.pool);
  const line = () => randomBytes(16).toString('hex').padEnd(1_500);
  const packed = gzipSync(Array.from({ length: LARGEST_BODY_BYTES / 1_500 }, line).join(''));
  const held = Array.from({ length: 8 }, (_, n) => {
    const sent = begin('gateway', COMPLETIONS, packed.length, {
      Authorization: `Bearer ${apiKey}`,
      'X-Forwarded-For': `10.0.0.${n % 4}`,
      'Content-Encoding': 'gzip',
    });
    sent.write(packed.subarray(0, -10));
    return sent;
  });
  await Promise.race(held.map((sent) => once(sent, 'response')));
  for (const bytes of [PROBE_BYTES, LARGEST_BODY_BYTES]) {
    const sent = begin('gateway', COMPLETIONS, bytes, { 'X-Forwarded-For': '10.0.0.9' });
    sent.end(JSON.stringify({ model: 'none', messages: [] }).padEnd(bytes));
    expect((await answerTo(sent, 'gateway', COMPLETIONS)).status).toBe(404);
  }
  for (const sent of held) sent.destroy();
});
