import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  describeWhere,
  findFreePort,
  insertAccount,
  insertApiKey,
  publishPrices,
  rememberEnvironment,
  rememberSecret,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { rawCall } from '../load/raw-calls';
import { consoleBody } from '../site/console-client';
import { findProgram } from '../site/nginx';
import { PostgresProcess } from '../site/postgres-process';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { Clients } from './clients';
import { Replicas } from './replicas';

jest.setTimeout(600_000);

const MODEL = 'sandbox-chat';
const BODY = { model: MODEL, messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };
const KEYS = 20;
const PATIENCE_MILLIS = 120_000;
/** Requests of each kind after each step of a rotation. */
const REQUESTS_AFTER = 5;

const newSecret = () => {
  const secret = randomBytes(32).toString('hex');
  rememberSecret(secret);
  return secret;
};

/** An old and a new value. */
const newSecrets = () => ({ old: newSecret(), fresh: newSecret() });

/** Runs a command of the product for operators. */
async function runCommand(path: string, environment: Record<string, string>): Promise<void> {
  rememberEnvironment(environment);
  const env = { PATH: process.env.PATH, ...environment };
  await promisify(execFile)(process.execPath, [join(ROOT, 'dist', path)], { env });
}

const failureOf = (status: number) => (status === 200 ? null : `status ${status}`);

describeWhere(findProgram('redis-server') !== undefined, 'redis-server is missing')('rotation', () => {
  const credential = newSecrets();
  const redisPassword = newSecrets();
  const encryptionKey = newSecrets();
  const linkSecret = newSecrets();
  const hashSecret = { old: TEST_API_KEY_HASH_SECRET, fresh: newSecret() };
  const passwords = { gateway: newSecret(), console: newSecret() };

  let postgres: PostgresProcess;
  let database: TestDatabase;
  let redisServer: ChildProcess;
  let redisPort: number;
  /** As the operator of Redis. */
  let redis: Redis;
  /** Two engines with one key each stand for a server that accepts both keys. */
  let engine: { old: Upstream; fresh: Upstream };
  let site: Site;
  let gateways: Replicas;
  let consoles: Replicas;
  /** Its own key is not used. */
  let account: TestAccount;
  let apiKeys: string[];
  let token: string;
  let clients: Clients;

  interface Upstream {
    process: ServiceProcess;
    UPSTREAMS: string;
  }

  async function startEngine(): Promise<Upstream> {
    const api_key = newSecret();
    const process = await site.startEngine({ SANDBOX_API_KEY: api_key });
    const upstreams = [{ name: 'engine', base_url: `${process.url}/v1`, api_key }];
    return { process, UPSTREAMS: JSON.stringify(upstreams) };
  }

  const redisUrl = (password: string) => `redis://:${password}@127.0.0.1:${redisPort}`;

  /** The address of the database with the second login of a role. */
  function secondLogin(role: keyof typeof passwords): string {
    const url = new URL(database.urlFor(role));
    Object.assign(url, { username: `${role}_2`, password: passwords[role] });
    return url.href;
  }

  const statusAtGateway = (apiKey: string, headers: Record<string, string> = {}) =>
    gateways.send(async (gatewayUrl) => (await rawCall({ gatewayUrl, apiKey, headers, body: BODY })).status);

  const statusForService = (secret: string) =>
    statusAtGateway(secret, { 'X-On-Behalf-Of': account.accountId });

  const askConsole = <T>(
    method: string,
    path: string,
    options: { json?: unknown; token?: string; status?: number } = {},
  ) => consoles.send((url) => consoleBody<T>(url, method, path, options));

  /** A customer makes a key and uses it at once. */
  async function useNewKey(): Promise<string | null> {
    const creation = { json: { name: 'new' }, token, status: 201 };
    const { id, key } = await askConsole<{ id: string; key: string }>('POST', '/api/api-keys', creation);
    const status = await statusAtGateway(key);
    await askConsole('DELETE', `/api/api-keys/${id}`, { token, status: 204 });
    return failureOf(status);
  }

  async function readSession(): Promise<null> {
    await askConsole('GET', '/api/auth/me', { token });
    return null;
  }

  beforeAll(async () => {
    // Roles belong to a server. The passwords of the one that other tests use must not change.
    postgres = await PostgresProcess.create();
    process.env.TEST_DATABASE_URL = await postgres.start();
    database = await createTestDatabase();
    // Free, so that an account needs no money.
    await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: 0n }]);
    account = await insertAccount(database.pool);
    const inserted = Array.from({ length: KEYS }, () => insertApiKey(database.pool, account.accountId));
    apiKeys = (await Promise.all(inserted)).map(({ apiKey }) => apiKey);

    redisPort = await findFreePort();
    const settings = { port: redisPort, bind: '127.0.0.1', save: '', requirepass: redisPassword.old };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    redisServer = spawn('redis-server', args, { stdio: 'ignore', cwd: tmpdir() });
    redis = new Redis(redisUrl(redisPassword.old), { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await redis.ping();

    site = new Site(database);
    engine = { old: await startEngine(), fresh: await startEngine() };
    gateways = await Replicas.start((environment) => site.startGateway(engine.old.process, environment), {
      UPSTREAMS: engine.old.UPSTREAMS,
      CONSOLE_CREDENTIALS: credential.old,
    });
    const startConsole = async (environment: Record<string, string>) =>
      site.startConsole(environment, await findFreePort());
    consoles = await Replicas.start(startConsole, {
      REDIS_URL: redisUrl(redisPassword.old),
      ENCRYPTION_KEYS: encryptionKey.old,
      DOWNLOAD_LINK_SECRETS: linkSecret.old,
    });
    const json = { email: 'customer@example.com', password: 'correct horse battery' };
    const registration = { json, status: 201 };
    ({ token } = await askConsole<{ token: string }>('POST', '/api/auth/register', registration));
  });

  afterAll(async () => {
    await clients?.stop().catch(() => undefined);
    await site?.stop();
    redis?.disconnect();
    if (redisServer?.kill('SIGKILL')) await once(redisServer, 'exit');
    await database?.drop();
    await postgres?.remove();
  });

  /** Both values are accepted. */
  async function acceptNewSecrets(): Promise<void> {
    await runCommand('libs/database/src/migrate.js', {
      DATABASE_URL: database.ownerUrl,
      GATEWAY_2_DATABASE_PASSWORD: passwords.gateway,
      CONSOLE_2_DATABASE_PASSWORD: passwords.console,
    });
    await redis.call('ACL', 'SETUSER', 'default', `>${redisPassword.fresh}`);
    const hash = { API_KEY_HASH_OTHER_SECRET: hashSecret.fresh };
    await gateways.restart({ ...hash, CONSOLE_CREDENTIALS: `${credential.fresh},${credential.old}` });
    await consoles.restart({
      ...hash,
      ENCRYPTION_KEYS: `${encryptionKey.old},${encryptionKey.fresh}`,
      DOWNLOAD_LINK_SECRETS: `${linkSecret.old},${linkSecret.fresh}`,
    });
  }

  /** The new value is used, and the old one still accepted. */
  async function useNewSecrets(): Promise<void> {
    const hash = { API_KEY_HASH_SECRET: hashSecret.fresh, API_KEY_HASH_OTHER_SECRET: hashSecret.old };
    const { UPSTREAMS } = engine.fresh;
    await gateways.restart({ ...hash, DATABASE_URL: secondLogin('gateway'), UPSTREAMS });
    const ENCRYPTION_KEYS = `${encryptionKey.fresh},${encryptionKey.old}`;
    await consoles.restart({
      ...hash,
      DATABASE_URL: secondLogin('console'),
      REDIS_URL: redisUrl(redisPassword.fresh),
      ENCRYPTION_KEYS,
      DOWNLOAD_LINK_SECRETS: `${linkSecret.fresh},${linkSecret.old}`,
    });
    await runCommand('apps/console/src/commands/reseal-secrets.js', {
      DATABASE_URL: secondLogin('console'),
      ENCRYPTION_KEYS,
    });
  }

  /** Only the new value is accepted. */
  async function withdrawOldSecrets(): Promise<void> {
    for (const role of Object.keys(passwords)) await database.pool.query(`ALTER ROLE ${role} PASSWORD NULL`);
    await redis.call('ACL', 'SETUSER', 'default', `<${redisPassword.old}`);
    await engine.old.process.stop();
    const hash = { API_KEY_HASH_OTHER_SECRET: '' };
    await gateways.restart({ ...hash, CONSOLE_CREDENTIALS: credential.fresh });
    await consoles.restart({
      ...hash,
      ENCRYPTION_KEYS: encryptionKey.fresh,
      DOWNLOAD_LINK_SECRETS: linkSecret.fresh,
    });
  }

  /** The ids of the keys that have not been used since a time, by the statement of docs/operations/rotate-secrets.md. */
  async function keysUnusedSince(time: Date): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM accounts.api_keys WHERE deleted_at IS NULL AND greatest(created_at, last_used_at) < $1',
      [time.toISOString()],
    );
    return rows.map(({ id }) => id);
  }

  test('no request fails while all secrets are replaced, and the old ones are refused afterwards', async () => {
    let current = credential.old;
    let turn = 0;
    clients = new Clients({
      'model call': async () => failureOf(await statusAtGateway(apiKeys[turn++ % KEYS]!)),
      'call of a service': async () => failureOf(await statusForService(current)),
      'new key': useNewKey,
      session: readSession,
    });
    await acceptNewSecrets();
    await clients.answer(REQUESTS_AFTER);
    current = credential.fresh;
    await useNewSecrets();
    const changedAt = new Date();
    await waitFor(async () => (await keysUnusedSince(changedAt)).length === 1, PATIENCE_MILLIS);
    expect(await keysUnusedSince(changedAt)).toEqual([account.apiKeyId]);
    await withdrawOldSecrets();
    await clients.answer(REQUESTS_AFTER);
    expect(await clients.stop()).toBeGreaterThan(KEYS);

    expect(await statusAtGateway(account.apiKey)).toBe(401);
    expect(await statusForService(credential.old)).toBe(401);
    const { rows } = await database.pool.query(
      `SELECT DISTINCT usename FROM pg_stat_activity WHERE usename ~ '^(gateway|console)' ORDER BY usename`,
    );
    expect(rows).toEqual([{ usename: 'console_2' }, { usename: 'gateway_2' }]);
    for (const role of ['gateway', 'console'] as const) {
      const connection = new Client({ connectionString: database.urlFor(role) });
      await expect(connection.connect()).rejects.toMatchObject({ code: '28P01' });
    }
    const late = new Redis(redisUrl(redisPassword.old), { lazyConnect: true, retryStrategy: () => null });
    late.on('error', () => undefined);
    await expect(late.connect().then(() => late.ping())).rejects.toThrow();
    late.disconnect();
    expect(await redis.dbsize()).toBeGreaterThan(0);
    expect(consoles.output).not.toContain('Redis is unavailable');
  });
});
