import { type AddressInfo, createServer, type Server } from 'node:net';
import { Logger } from '@nestjs/common';
import { describeWithRedis, RedisServer, waitFor } from '@inference/testing';
import { RedisThrottlerStorage } from './redis-throttler-storage';

const WINDOW_MILLIS = 600_000;
/** Time limit that a responding Redis meets on a busy machine too. */
const PATIENCE_MILLIS = 3_000;

const counters: RedisThrottlerStorage[] = [];

async function openCounter(url: string, prefix = 'test:'): Promise<RedisThrottlerStorage> {
  const counter = new RedisThrottlerStorage(url, prefix, PATIENCE_MILLIS);
  counters.push(counter);
  await counter.onModuleInit();
  return counter;
}

const hit = async (counter: RedisThrottlerStorage, key: string, limit = 1_000) =>
  (await counter.increment(key, WINDOW_MILLIS, limit)).totalHits;

let logged: string[];

beforeEach(() => {
  logged = [];
  for (const method of ['log', 'warn', 'error'] as const)
    jest
      .spyOn(Logger.prototype, method)
      .mockImplementation((...args: unknown[]) => void logged.push(String(args[0])));
});
afterEach(() => {
  for (const counter of counters.splice(0)) counter.onApplicationShutdown();
  jest.restoreAllMocks();
});

describeWithRedis('the throttler storage in Redis', () => {
  let redis: RedisServer;
  const ttlOf = (key: string) => redis.withConnection((asked) => asked.pttl(key));

  beforeAll(async () => {
    redis = await RedisServer.create();
    await redis.start();
  });
  afterAll(() => redis.stop());

  it('counts every request of all processes once', async () => {
    const [a, b] = [await openCounter(redis.url), await openCounter(redis.url)];
    const hits = await Promise.all(Array.from({ length: 400 }, (_, n) => hit(n % 2 ? a : b, 'crowd')));
    expect(hits.sort((x, y) => x - y)).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
    expect(logged).toEqual([]);
  });

  it('blocks requests beyond the limit until the window ends', async () => {
    const counter = await openCounter(redis.url);
    const count = () => counter.increment('limited', WINDOW_MILLIS, 2);
    const first = await count();
    expect(first).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(first.timeToExpire).toBeGreaterThan(0);
    expect(first.timeToExpire).toBeLessThanOrEqual(WINDOW_MILLIS / 1000);
    await redis.withConnection((asked) => asked.pexpire('test:limited', 100_000));
    expect(await count()).toMatchObject({ totalHits: 2, isBlocked: false });
    const blocked = await count();
    expect(blocked).toMatchObject({ totalHits: 3, isBlocked: true });
    // Further requests do not extend the window.
    expect(blocked.timeToBlockExpire).toBeLessThanOrEqual(100);
    await redis.withConnection((asked) => asked.pexpire('test:limited', 1));
    await waitFor(async () => (await ttlOf('test:limited')) === -2);
    expect(await count()).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('gives a key without an expiry one', async () => {
    const counter = await openCounter(redis.url);
    await redis.withConnection((asked) => asked.set('test:endless', 5));
    expect(await hit(counter, 'endless')).toBe(6);
    expect(await ttlOf('test:endless')).toBeGreaterThan(0);
  });

  it('keeps sites apart that share a Redis', async () => {
    const [intl, cn] = [await openCounter(redis.url, 'intl:'), await openCounter(redis.url, 'cn:')];
    expect([await hit(intl, 'k'), await hit(intl, 'k'), await hit(cn, 'k')]).toEqual([1, 2, 1]);
  });

  it('continues when the scripts of Redis are flushed', async () => {
    const counter = await openCounter(redis.url);
    await hit(counter, 'flushed');
    await redis.withConnection((asked) => asked.script('FLUSH'));
    expect(await hit(counter, 'flushed')).toBe(2);
    expect(logged).toEqual([]);
  });

  it('counts on its own while Redis refuses writes, and logs the begin and the end once', async () => {
    const counter = await openCounter(redis.url);
    expect([await hit(counter, 'full'), await hit(counter, 'full')]).toEqual([1, 2]);
    await redis.withConnection((asked) => asked.config('SET', 'maxmemory', '1'));
    expect([await hit(counter, 'full'), await hit(counter, 'full')]).toEqual([1, 2]);
    await redis.withConnection((asked) => asked.config('SET', 'maxmemory', '0'));
    await waitFor(async () => (await hit(counter, 'full')) === 3 && logged.length === 2);
    expect(logged).toEqual([
      expect.stringMatching(/^Redis is unavailable \(OOM .*: each process counts/),
      'Redis is back: the rate limits are shared again.',
    ]);
  });

  it('leaves no connection open', async () => {
    const counter = await openCounter(redis.url);
    const clients = () =>
      redis.withConnection(
        async (asked) =>
          String(await asked.client('LIST'))
            .trim()
            .split('\n').length,
      );
    await waitFor(async () => (await clients()) === 2);
    counter.onApplicationShutdown();
    await waitFor(async () => (await clients()) === 1);
    expect(logged).toEqual([]);
  });
});

describeWithRedis('the throttler storage during an outage of Redis', () => {
  let redis: RedisServer;

  beforeEach(async () => (redis = await RedisServer.create()));
  afterEach(() => redis.stop());

  const isShared = async (a: RedisThrottlerStorage, b: RedisThrottlerStorage) => {
    const key = `shared ${Math.random()}`;
    return (await hit(a, key)) === 1 && (await hit(b, key)) === 2;
  };

  it('starts without Redis', async () => {
    const [a, b] = [await openCounter(redis.url), await openCounter(redis.url)];
    expect([await hit(a, 'k'), await hit(a, 'k'), await hit(b, 'k')]).toEqual([1, 2, 1]);
    await redis.start();
    await waitFor(() => isShared(a, b));
    expect(logged).toHaveLength(4);
  });

  it('survives a Redis that is killed under load and comes back', async () => {
    await redis.start();
    const [a, b] = [await openCounter(redis.url), await openCounter(redis.url)];
    const load = Array.from({ length: 500 }, async (_, n) => {
      if (n === 250) void redis.kill();
      await new Promise((resolve) => setTimeout(resolve, n % 50));
      return hit(n % 2 ? a : b, 'load');
    });
    for (const hits of await Promise.all(load)) expect(hits).toBeGreaterThan(0);
    await redis.kill();
    await hit(a, 'own');
    await waitFor(() => logged.length === 2);
    expect([await hit(a, 'own'), await hit(b, 'own'), await hit(a, 'own')]).toEqual([2, 1, 3]);
    await redis.start();
    await waitFor(() => isShared(a, b));
    expect(logged.filter((line) => line.startsWith('Redis is unavailable'))).toHaveLength(2);
    expect(logged.filter((line) => line.startsWith('Redis is back'))).toHaveLength(2);
  });

  it('does not wait longer than the time limit for a Redis that hangs', async () => {
    await redis.start();
    const [a, b] = [await openCounter(redis.url), await openCounter(redis.url)];
    redis.pause();
    const startedAt = performance.now();
    const hits = await Promise.all(Array.from({ length: 100 }, (_, n) => hit(n % 2 ? a : b, 'hanging')));
    expect(performance.now() - startedAt).toBeGreaterThan(PATIENCE_MILLIS * 0.9);
    expect(hits.sort((x, y) => x - y)).toEqual(Array.from({ length: 100 }, (_, n) => (n >> 1) + 1));
    expect(logged).toHaveLength(2);
    // Requests no longer wait for the time limit; otherwise this would take an hour.
    for (let n = 0; n < 1_000; n++) expect(await hit(a, 'on')).toBe(n + 1);
    redis.resume();
    await waitFor(() => isShared(a, b));
    expect(logged).toHaveLength(4);
  });
});

describeWithRedis('the throttler storage in a Redis with a password', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.create('the-secret-of-redis');
    await redis.start();
  });
  afterAll(() => redis.stop());

  it('connects with the password', async () => {
    const [a, b] = [await openCounter(redis.url), await openCounter(redis.url)];
    expect([await hit(a, 'k'), await hit(b, 'k')]).toEqual([1, 2]);
    expect(logged).toEqual([]);
  });

  it.each(['', ':the-wrong-secret@'])(
    'counts on its own with the credentials "%s", which no log shows',
    async (credentials) => {
      const counter = await openCounter(`redis://${credentials}127.0.0.1:${redis.port}`);
      expect([await hit(counter, 'own'), await hit(counter, 'own')]).toEqual([1, 2]);
      expect(logged).toEqual([expect.stringContaining('Redis is unavailable')]);
      expect(logged.join()).not.toContain('wrong-secret');
    },
  );
});

describe('the throttler storage with a server that is not Redis', () => {
  let server: Server;
  let connections = 0;

  afterEach(() => server.close());

  it.each([
    ['agrees to everything', '+OK\r\n'],
    ['knows nothing', '$-1\r\n'],
    ['counts in words', '*2\r\n$3\r\none\r\n$3\r\ntwo\r\n'],
    ['refuses', '-ERR no\r\n'],
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
    ['hangs up', null],
  ])('a process counts on its own and logs it once if the server %s', async (_name, answer) => {
    connections = 0;
    server = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.on('data', () => (answer === null ? socket.destroy() : socket.write(answer)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const counter = await openCounter(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect([await hit(counter, 'own'), await hit(counter, 'own')]).toEqual([1, 2]);
    await waitFor(() => connections >= 2);
    expect(await hit(counter, 'own')).toBe(3);
    expect(logged).toEqual([expect.stringContaining('Redis is unavailable')]);
    counter.onApplicationShutdown();
  });
});
