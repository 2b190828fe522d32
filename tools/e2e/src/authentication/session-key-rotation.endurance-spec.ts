import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { askConsole } from '../site/console-client';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const COMMAND = join(ROOT, 'dist/apps/console/src/commands/rotate-session-keys.js');
/** Least number of requests between two steps of a rotation, in addition to those during a restart of the console. */
const REQUESTS_BETWEEN = 10;

let database: TestDatabase;
let site: Site;
let consoleApp: ServiceProcess;
let routerCost: ServiceProcess;
let keys: string;

/** Restarts the console with these keys on the same port. It is unavailable meanwhile. */
async function restartConsole(value: string): Promise<void> {
  keys = value;
  expect(await consoleApp.stop()).toBe(true);
  consoleApp = await site.startConsole({ SESSION_SIGNING_KEYS: keys });
}

async function rotate(step: 'publish' | 'sign' | 'retire'): Promise<void> {
  const env = { PATH: process.env.PATH, SESSION_SIGNING_KEYS: keys };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, step], { env });
  await restartConsole(stdout);
}

interface Session {
  token: string;
  kid: string;
}

const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string };

let accounts = 0;
async function signUp(): Promise<Session> {
  const json = { email: `customer-${++accounts}@example.com`, password: 'correct horse battery' };
  const { body } = await askConsole(consoleApp.url, 'POST', '/api/auth/register', { json });
  const { token } = body as { token: string };
  return { token, kid: headerOf(token).kid };
}

async function statusAtRouterCost({ token }: Session): Promise<number> {
  const headers = { Cookie: `session=${token}` };
  const response = await fetch(`${routerCost.url}/v1/router/cost`, { headers });
  await response.text();
  return response.status;
}

const statusAtConsole = async ({ token }: Session) =>
  (await askConsole(consoleApp.url, 'GET', '/api/auth/me', { token })).status;

const liveSessions: LiveSession[] = [];

/** A browser that requests the cost report continuously, also while the console is unavailable. */
class LiveSession {
  readonly answers: (number | string)[] = [];
  private running = true;
  private readonly ended: Promise<void>;

  constructor(private readonly session: Session) {
    this.ended = this.run();
    liveSessions.push(this);
  }

  async served(requests: number): Promise<void> {
    const enough = this.answers.length + requests;
    await waitFor(() => this.answers.length >= enough);
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.ended;
  }

  /** Stops it after many requests, none of which failed. */
  async stopUnharmed(): Promise<void> {
    await this.stop();
    expect(this.answers.length).toBeGreaterThan(REQUESTS_BETWEEN);
    expect(this.answers.filter((answer) => answer !== 200)).toEqual([]);
  }

  private async run(): Promise<void> {
    while (this.running) {
      this.answers.push(await statusAtRouterCost(this.session).catch((error: Error) => error.message));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  keys = JSON.stringify([{ ...privateKey.export({ format: 'jwk' }), kid: 'first' }]);
  [consoleApp, routerCost] = await Promise.all([
    site.startConsole({ SESSION_SIGNING_KEYS: keys }),
    site.startRouterCost(),
  ]);
});

afterAll(async () => {
  await Promise.all(liveSessions.map((session) => session.stop()));
  await site?.stop();
  await database?.drop();
});

test('the signing key is replaced without one failed request of a live session', async () => {
  const old = await signUp();
  expect(old.kid).toBe('first');
  const oldSession = new LiveSession(old);
  await oldSession.served(REQUESTS_BETWEEN);

  await rotate('publish');
  await oldSession.served(REQUESTS_BETWEEN);
  expect((await signUp()).kid).toBe('first');

  await rotate('sign');
  const fresh = await signUp();
  expect(fresh.kid).not.toBe('first');
  // The cost report has not fetched the new key yet; it fetches the keys when a token has an unknown one.
  expect(await statusAtRouterCost(fresh)).toBe(200);
  const freshSession = new LiveSession(fresh);
  await oldSession.served(REQUESTS_BETWEEN);
  expect(await statusAtConsole(old)).toBe(200);
  await oldSession.stopUnharmed();

  await rotate('retire');
  await freshSession.served(REQUESTS_BETWEEN);
  expect([await statusAtConsole(old), await statusAtConsole(fresh)]).toEqual([401, 200]);
  // A token with an unknown key makes the cost report fetch the keys at once instead of within a minute.
  const [, claims, signature] = fresh.token.split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'unknown' })).toString('base64url');
  expect(await statusAtRouterCost({ token: `${header}.${claims}.${signature}`, kid: 'unknown' })).toBe(401);
  expect(await statusAtRouterCost(old)).toBe(401);
  await freshSession.stopUnharmed();
});
