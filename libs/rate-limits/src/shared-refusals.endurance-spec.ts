import { Logger } from '@nestjs/common';
import { describeWithRedis, RedisServer, waitFor } from '@inference/testing';
import { type Request } from 'express';
import { RedisThrottlerStorage } from './redis-throttler-storage';
import { RefusalLimit } from './refusal-limit';

/** Refused calls of an address in a minute, at this multiplier. */
const LIMIT = 30;
const MULTIPLIER = 0.01;

describeWithRedis('replicas that share the limit of refused calls', () => {
  let redis: RedisServer;
  let storages: RedisThrottlerStorage[];
  let replicas: RefusalLimit[];
  let addresses = 0;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    redis = await RedisServer.create();
    await redis.start();
    storages = [1, 2].map(() => new RedisThrottlerStorage(redis.url, 'test:'));
    for (const storage of storages) await storage.onModuleInit();
    replicas = storages.map((storage) => new RefusalLimit(storage, MULTIPLIER));
  });
  afterAll(async () => {
    for (const storage of storages) storage.onApplicationShutdown();
    await redis.stop();
    jest.restoreAllMocks();
  });

  const isAdmitted = (replica: RefusalLimit, request: Request) => {
    try {
      replica.check(request);
      return true;
    } catch {
      return false;
    }
  };

  /** Number of refused calls of a new address, sent in turn, until a replica admits none any more. */
  async function admitted(): Promise<number> {
    const request = { path: '/', ip: `198.18.0.${++addresses}` } as Request;
    for (let count = 0; ; count++) {
      const replica = replicas[count % 2]!;
      if (!isAdmitted(replica, request)) return count;
      replica.count(request, 401);
      // The count follows the answer.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  /** A replica learns of the limit with the refusal that is above it, so the other one is asked once more. */
  const untilShared = () => waitFor(async () => (await admitted()) <= LIMIT + 3);
  const untilApart = () => waitFor(async () => (await admitted()) > 2 * LIMIT);

  it('count together, each on its own while Redis is away, and together again when it is back', async () => {
    await untilShared();
    await redis.kill();
    await untilApart();
    await redis.start();
    await untilShared();
    redis.pause();
    await untilApart();
    redis.resume();
    await untilShared();
  });
});
