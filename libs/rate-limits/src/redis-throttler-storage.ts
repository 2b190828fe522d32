import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { type Count, MemoryThrottlerStorage } from './memory-throttler-storage';

const RECONNECT_MILLIS = 1_000;
const CONNECT_TIMEOUT_MILLIS = 2_000;
/** A request waits no longer for Redis. */
const RESPONSE_TIMEOUT_MILLIS = 250;

/** A window begins with its first request. A key without an expiry would never be reset, so it gets one. */
const COUNT = `
  local hits = redis.call('INCR', KEYS[1])
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
  end
  return {hits, left}`;

/** A connection with the script COUNT. A Redis server answers `[hits, milliseconds left]`. */
type Connection = Redis & { count(key: string, ttlMillis: number): Promise<unknown> };

/**
 * Rejects if the work takes too long. It waits one more round of the event loop before that, so that a response that
 * arrived while the process was busy still counts.
 */
function withTimeout<T>(millis: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectLate = () => reject(new Error(`no answer within ${millis} ms`));
    const timer = setTimeout(() => setImmediate(rejectLate), millis);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Counts requests in windows that all processes share through Redis. While Redis is unavailable, slow or faulty, this
 * process counts on its own, so that no request fails.
 */
export class RedisThrottlerStorage implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisThrottlerStorage.name);
  private readonly fallback = new MemoryThrottlerStorage();
  private connection: Connection | undefined;
  /** Whether a probe has shown that the connection works. Until then this process counts on its own. */
  private isShared = false;
  private retry: NodeJS.Timeout | undefined;
  private isOutageLogged = false;
  private isClosed = false;

  /** @param prefix of every key */
  constructor(
    private readonly url: string,
    private readonly prefix: string,
    private readonly timeoutMillis = RESPONSE_TIMEOUT_MILLIS,
  ) {}

  /** Resolves after the first attempt, whether or not it succeeded. */
  onModuleInit(): Promise<void> {
    return this.connect();
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.connection?.disconnect();
    this.fallback.onApplicationShutdown();
  }

  async increment(key: string, ttlMillis: number, limit: number): Promise<Count> {
    const { connection: redis, isShared } = this;
    if (!redis || !isShared) return this.fallback.increment(key, ttlMillis, limit);
    try {
      const { hits, millisLeft } = await this.count(redis, key, ttlMillis);
      const secondsLeft = Math.ceil(millisLeft / 1000);
      return {
        totalHits: hits,
        timeToExpire: secondsLeft,
        isBlocked: hits > limit,
        timeToBlockExpire: secondsLeft,
      };
    } catch (error) {
      this.fallBack(redis, error as Error);
      return this.fallback.increment(key, ttlMillis, limit);
    }
  }

  private async count(redis: Connection, key: string, ttlMillis: number) {
    const response = await withTimeout(this.timeoutMillis, redis.count(`${this.prefix}${key}`, ttlMillis));
    const [hits, millisLeft] = Array.isArray(response) ? (response as unknown[]) : [];
    if (!Number.isSafeInteger(hits) || !Number.isSafeInteger(millisLeft))
      throw new Error('an invalid response');
    // Redis reports 0 ms for a window in its last millisecond.
    return { hits: hits as number, millisLeft: Math.max(1, millisLeft as number) };
  }

  /** Each connection is new: commands of a lost one fail at once instead of waiting and being sent again. */
  private async connect(): Promise<void> {
    const redis = new Redis(this.url, {
      lazyConnect: true,
      retryStrategy: () => null,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      connectTimeout: CONNECT_TIMEOUT_MILLIS,
      disconnectTimeout: RESPONSE_TIMEOUT_MILLIS,
      disableClientInfo: true,
      scripts: { count: { lua: COUNT, numberOfKeys: 1 } },
    }) as Connection;
    // Every error also ends the connection, which is handled below. Without a listener ioredis would print it.
    redis.on('error', () => undefined);
    this.connection = redis;
    try {
      await withTimeout(CONNECT_TIMEOUT_MILLIS, redis.connect());
      await this.count(redis, 'probe', RECONNECT_MILLIS);
      this.isShared = true;
      redis.once('close', () => this.fallBack(redis, new Error('the connection has ended')));
      if (this.isOutageLogged) this.logger.log('Redis is back: the rate limits are shared again.');
      this.isOutageLogged = false;
    } catch (error) {
      this.fallBack(redis, error as Error);
    }
  }

  private fallBack(redis: Connection, { message }: Error): void {
    // Every pending command of the connection fails and calls this too.
    if (this.connection !== redis) return;
    this.connection = undefined;
    this.isShared = false;
    redis.disconnect();
    if (this.isClosed) return;
    if (!this.isOutageLogged)
      this.logger.warn(`Redis is unavailable (${message}): each process counts its own requests.`);
    this.isOutageLogged = true;
    this.retry = setTimeout(() => void this.connect(), RECONNECT_MILLIS).unref();
  }
}
