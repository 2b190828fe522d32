import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { type Count, WindowCounter } from './window-counter';

const RECONNECT_MILLIS = 1_000;
const CONNECT_MILLIS = 2_000;
const ANSWER_MILLIS = 250;

/** A window begins with its first request. A key without an end, which nobody here makes, would count for ever. */
const COUNT = `
  local hits = redis.call('INCR', KEYS[1])
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
  end
  return {hits, left}`;

/** A connection that knows COUNT; it answers hits and milliseconds, if it is what it should be. */
type Connection = Redis & { count(key: string, ttlMillis: number): Promise<unknown> };

/** Rejects a promise that takes too long; an answer that waits to be read, because this process was busy, is in time. */
function within<T>(millis: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${millis} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), millis);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Counts requests in windows that all processes share through Redis. A Redis that is away, slow or confused fails no
 * request: until it is back this process counts for itself.
 */
export class SharedCounter implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SharedCounter.name);
  private readonly own = new WindowCounter();
  private connection: Connection | undefined;
  /** Whether the connection has shown that it counts; until then this process counts for itself. */
  private isShared = false;
  private retry: NodeJS.Timeout | undefined;
  private isAwaySaid = false;
  private isClosed = false;

  /** @param prefix of every key */
  constructor(
    private readonly url: string,
    private readonly prefix: string,
    private readonly answerMillis = ANSWER_MILLIS,
  ) {}

  /** Resolves after the first attempt, whether or not it succeeded. */
  onModuleInit(): Promise<void> {
    return this.connect();
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.connection?.disconnect();
    this.own.onApplicationShutdown();
  }

  async increment(key: string, ttlMillis: number, limit: number): Promise<Count> {
    const { connection: redis, isShared } = this;
    if (!redis || !isShared) return this.own.increment(key, ttlMillis, limit);
    try {
      const { hits, millisLeft } = await this.ask(redis, key, ttlMillis);
      const secondsLeft = Math.ceil(millisLeft / 1000);
      return {
        totalHits: hits,
        timeToExpire: secondsLeft,
        isBlocked: hits > limit,
        timeToBlockExpire: secondsLeft,
      };
    } catch (error) {
      this.leave(redis, error as Error);
      return this.own.increment(key, ttlMillis, limit);
    }
  }

  private async ask(redis: Connection, key: string, ttlMillis: number) {
    const answer = await within(this.answerMillis, redis.count(`${this.prefix}${key}`, ttlMillis));
    const [hits, millisLeft] = Array.isArray(answer) ? (answer as unknown[]) : [];
    if (!Number.isSafeInteger(hits) || !Number.isSafeInteger(millisLeft))
      throw new Error('a senseless answer');
    // At the end of its last millisecond a window has none left.
    return { hits: hits as number, millisLeft: Math.max(1, millisLeft as number) };
  }

  /** One connection after another: none waits for the next one, and nothing is sent twice. */
  private async connect(): Promise<void> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      connectTimeout: CONNECT_MILLIS,
      disconnectTimeout: ANSWER_MILLIS,
      disableClientInfo: true,
      scripts: { count: { lua: COUNT, numberOfKeys: 1 } },
    }) as Connection;
    // Each is the end of the connection, too; without a listener it would be printed.
    redis.on('error', () => undefined);
    this.connection = redis;
    try {
      await within(CONNECT_MILLIS, redis.connect());
      await this.ask(redis, 'probe', RECONNECT_MILLIS);
      this.isShared = true;
      redis.once('close', () => this.leave(redis, new Error('the connection has ended')));
      if (this.isAwaySaid) this.logger.log('Redis is back: the rate limits are shared again.');
      this.isAwaySaid = false;
    } catch (error) {
      this.leave(redis, error as Error);
    }
  }

  private leave(redis: Connection, { message }: Error): void {
    // Whatever else is under way on this connection fails with it, and comes here, too.
    if (this.connection !== redis) return;
    this.connection = undefined;
    this.isShared = false;
    redis.disconnect();
    if (this.isClosed) return;
    if (!this.isAwaySaid)
      this.logger.warn(`Redis is away (${message}): each process counts its requests for itself.`);
    this.isAwaySaid = true;
    this.retry = setTimeout(() => void this.connect(), RECONNECT_MILLIS).unref();
  }
}
