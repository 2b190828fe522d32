import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { waitFor } from '@inference/testing';
import { Logger } from '@nestjs/common';
import { errors, exportJWK, generateKeyPair, type GenerateKeyPairResult, jwtVerify, SignJWT } from 'jose';
import { SessionKeys } from './session-token.strategy';

const ONE_MINUTE = 60_000;
const COOLDOWN_MILLIS = 1_000;
const MANY_DAYS_MILLIS = 90 * 86_400_000;
const BURST = 200;

/** Simulated console: the published keys (null while it is unavailable) and the number of requests to it. */
let published: string[] | null;
let asked: number;
let server: Server;
let consoleUrl: string;

const pairs = new Map<string, GenerateKeyPairResult>();
let keys: SessionKeys;
let logged: string[];

async function publicKey(kid: string) {
  return { ...(await exportJWK(pairs.get(kid)!.publicKey)), kid, alg: 'ES256' };
}

const sign = (kid: string, signedBy = kid) =>
  new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(pairs.get(signedBy)!.privateKey);

/** Returns whether a token of that key is accepted. */
async function accepts(kid: string, signedBy = kid): Promise<boolean> {
  try {
    await jwtVerify(await sign(kid, signedBy), keys.find);
    return true;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return false;
    throw error;
  }
}

/** Advances the clock by minutes until the next request to the console: no reload starts while another one is running. */
async function nextMinute(): Promise<void> {
  const before = asked;
  await waitFor(() => {
    if (asked === before) jest.advanceTimersByTime(ONE_MINUTE);
    return asked > before;
  });
}

beforeAll(async () => {
  for (const kid of ['old', 'new']) {
    pairs.set(kid, await generateKeyPair('ES256', { extractable: true }));
  }
  server = createServer((_request, response) => {
    asked++;
    if (published === null) return void response.writeHead(503).end();
    void Promise.all(published.map(publicKey)).then((list) => response.end(JSON.stringify({ keys: list })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  consoleUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  const real = ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] as const;
  jest.useFakeTimers({ doNotFake: [...real] });
  logged = [];
  const note = (message: string) => void logged.push(message);
  Logger.overrideLogger({ log: note, warn: note, error: note });
  published = ['old'];
  asked = 0;
  keys = new SessionKeys(consoleUrl);
});

afterEach(() => {
  keys.stop();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('loads the keys before the first token arrives', async () => {
  keys.start();
  await waitFor(() => asked === 1);
  await waitFor(() => accepts('old'));
  expect(asked).toBe(1);
});

it('keeps the last keys while the console is unavailable, and logs it once', async () => {
  keys.start();
  await waitFor(() => accepts('old'));
  published = null;
  for (let minute = 0; minute < 3; minute++) await nextMinute();
  await waitFor(() => logged.length > 0);
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + MANY_DAYS_MILLIS);
  expect(await accepts('old')).toBe(true);
  expect(logged).toEqual([expect.stringContaining('cannot be fetched')]);
  published = ['new'];
  await nextMinute();
  await waitFor(() => logged.length === 2);
  expect(logged[1]).toContain('can be fetched again');
  expect([await accepts('old'), await accepts('new')]).toEqual([false, true]);
});

it('drops a retired key at the next reload without a request for another key', async () => {
  keys.start();
  await waitFor(() => accepts('old'));
  published = ['new'];
  expect(await accepts('old')).toBe(true);
  await nextMinute();
  await waitFor(async () => !(await accepts('old')));
});

it('does not reload after it was stopped', async () => {
  keys.start();
  await waitFor(() => accepts('old'));
  keys.stop();
  jest.advanceTimersByTime(10 * ONE_MINUTE);
  expect(await accepts('old')).toBe(true);
  expect(asked).toBe(1);
});

it('accepts a new key at once, and the old one while it is published', async () => {
  expect(await accepts('old')).toBe(true);
  published = ['old', 'new'];
  expect([await accepts('new'), await accepts('old')]).toEqual([true, true]);
  expect(asked).toBe(2);
});

it('accepts valid tokens and limits requests to the console during a burst of unknown keys', async () => {
  expect(await accepts('old')).toBe(true);
  const startedAt = performance.now();
  const burst = (name: string) => Array.from({ length: BURST }, (_, n) => accepts(`${name}-${n}`, 'old'));
  const first = [...burst('a'), accepts('old')];
  published = ['old', 'new'];
  // The second burst and the new key in it arrive during the cooldown of the first.
  await first[0];
  const second = [...burst('b'), accepts('old'), accepts('new')];
  expect((await Promise.all(first)).filter(Boolean)).toHaveLength(1);
  expect((await Promise.all(second)).filter(Boolean)).toHaveLength(2);
  expect(asked).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / COOLDOWN_MILLIS);
});

it('fails for a new key while the console is unavailable, and accepts the loaded keys', async () => {
  expect(await accepts('old')).toBe(true);
  published = null;
  await expect(accepts('new')).rejects.toThrow('Expected 200 OK');
  expect(await accepts('old')).toBe(true);
});
