import {
  createTestDatabase,
  describeWithRedis,
  RedisServer,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { TestConsole } from '../testing/console.fixture';

/** Requests per minute of an address at this multiplier. */
const LIMIT = 30;
const MULTIPLIER = '0.01';

describeWithRedis('consoles that share a Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let consoles: TestConsole[];
  let addresses = 0;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    redis = await RedisServer.create('the-secret-of-redis');
    await redis.start();
    const environment = {
      REDIS_URL: redis.url,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_MULTIPLIER: MULTIPLIER,
    };
    const url = database.urlFor('console');
    consoles = [await TestConsole.start(url, environment), await TestConsole.start(url, environment)];
  });
  afterAll(async () => {
    for (const console of consoles) await console.close();
    await redis.stop();
    await database.drop();
  });

  const newAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`;
  const ask = async (console: TestConsole, address: string) =>
    (await console.request('GET', '/api/site', { headers: { 'X-Forwarded-For': address } })).status;

  /** Number of admitted requests of a new address, sent to the consoles in turn. */
  async function answered(from = consoles): Promise<number> {
    const address = newAddress();
    for (let count = 0; ; count++) {
      const status = await ask(from[count % from.length]!, address);
      if (status === 429) return count;
      expect(status).toBe(200);
    }
  }
  /** On a busy machine Redis may seem unavailable for a moment, so the test is repeated with another address. */
  const untilShared = () => waitFor(async () => (await answered()) === LIMIT);
  const untilApart = () => waitFor(async () => (await answered()) === 2 * LIMIT);

  /** Sends requests to both without pause, each from another address, while work runs. */
  async function whileAsked(what: () => Promise<void>): Promise<number[]> {
    const statuses: number[] = [];
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, n) => {
      while (!isOver) statuses.push(await ask(consoles[n % 2]!, newAddress()));
    });
    try {
      await what();
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    return statuses;
  }

  it('count the requests of an address to both together', async () => {
    await untilShared();
    const keys = await redis.withConnection((asked) => asked.keys('*'));
    expect(keys.filter((key) => !key.startsWith('console:intl:limit:'))).toEqual([]);
  });

  it('fail no request when it is killed, limit on their own, and share again when it is back', async () => {
    await untilShared();
    const statuses = await whileAsked(async () => {
      await redis.kill();
      await untilApart();
      expect(await answered([consoles[0]!])).toBe(LIMIT);
      await redis.start();
      await untilShared();
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('fail no request when it hangs', async () => {
    await untilShared();
    const statuses = await whileAsked(async () => {
      redis.pause();
      await untilApart();
      redis.resume();
      await untilShared();
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
