import { env, type Site } from '@inference/config';
import { addressGroup, type CallLimit, RefusedCalls, TooManyRequestsException } from '@inference/http';
import { type DynamicModule, Inject, Module } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import { type Request } from 'express';
import { type z } from 'zod';
import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { RedisThrottlerStorage } from './redis-throttler-storage';

export const RATE_LIMIT_CONFIG = Symbol('RATE_LIMIT_CONFIG');

export const rateLimitFields = {
  /**
   * Redis server that shares the request limits among replicas. Without it, and while it cannot be reached, each
   * process counts on its own.
   */
  REDIS_URL: env.url('redis', 'rediss').optional(),
  /** Factor by which every rate limit is multiplied. */
  RATE_LIMIT_MULTIPLIER: env.number(0.01, 1_000_000).default(1),
};

type RateLimitFields = z.output<z.ZodObject<typeof rateLimitFields>>;

export interface RateLimitConfig {
  /** Undefined when each process counts on its own. */
  redisUrl: string | undefined;
  /** Factor of every limit. */
  multiplier: number;
}

export function rateLimitOf({ REDIS_URL, RATE_LIMIT_MULTIPLIER }: RateLimitFields): RateLimitConfig {
  return { redisUrl: REDIS_URL, multiplier: RATE_LIMIT_MULTIPLIER };
}

/**
 * Counters that all replicas share through Redis, or counters of this process without a URL.
 * @param owner whose counters these are, such as `console:intl`: one Redis may serve several services and sites
 */
export const throttlerStorage = (redisUrl: string | undefined, owner: string) =>
  redisUrl === undefined
    ? new MemoryThrottlerStorage()
    : new RedisThrottlerStorage(redisUrl, `${owner}:limit:`);

const WINDOW_MILLIS = 60_000;
/** Refused calls of one address in a window: chosen so that no office and no faulty program of a customer reaches it. */
const REFUSALS_PER_WINDOW = 3_000;
const TOO_MANY_REQUESTS = 429;
/** What correct programs get too: no credit, an object that is gone, a conflict. They count for callers without a credential only. */
const ORDINARY_STATUSES = new Set([402, 404, 409]);
/** Its probes are frequent and come from one address. */
const UNLIMITED_PATH = '/healthz';

/**
 * Counts the calls of an address that the service refuses, in windows of a minute, and refuses all calls of an address above the
 * limit with 429 until the window ends. A call that succeeds is neither counted nor looked up: while no address is above the limit it costs one
 * comparison. The counters may be shared; a replica learns that an address is above the limit when it counts a call of it.
 */
export class RefusalLimit implements CallLimit {
  private readonly limit: number;
  /** When the window ends (by performance.now), for each address above the limit. */
  private readonly blockedUntil = new Map<string, number>();

  constructor(
    private readonly storage: ThrottlerStorage,
    multiplier: number,
  ) {
    this.limit = Math.max(1, Math.round(REFUSALS_PER_WINDOW * multiplier));
  }

  /** Throws 429 if the address of the request is above the limit. */
  check(request: Request): void {
    if (this.blockedUntil.size === 0 || request.path === UNLIMITED_PATH) return;
    const group = addressGroup(request.ip);
    const millisLeft = (this.blockedUntil.get(group) ?? 0) - performance.now();
    if (millisLeft <= 0) return;
    const secondsLeft = Math.ceil(millisLeft / 1000);
    throw new TooManyRequestsException('too many refused requests', secondsLeft, {
      'RateLimit-Limit': String(this.limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(secondsLeft),
    });
  }

  /** Counts a call that was answered with this status, if the status is a refusal. */
  count(request: Request, status: number): void {
    if (status < 400 || status >= 500 || status === TOO_MANY_REQUESTS) return;
    if (request.caller && ORDINARY_STATUSES.has(status)) return;
    this.add(request);
  }

  /** Counts a call that needs no credential. */
  countPublic(request: Request): void {
    this.add(request);
  }

  private add(request: Request): void {
    // Calls of the platform's own services come from few addresses, for all customers.
    const group = request.service === undefined ? addressGroup(request.ip) : '';
    if (group !== '') void this.increment(group);
  }

  private async increment(group: string): Promise<void> {
    const name = 'refusals';
    const count = await this.storage.increment(`${name} ${group}`, WINDOW_MILLIS, this.limit, 0, name);
    if (!count.isBlocked || this.blockedUntil.has(group)) return;
    const millis = count.timeToBlockExpire * 1000;
    this.blockedUntil.set(group, performance.now() + millis);
    setTimeout(() => this.blockedUntil.delete(group), millis).unref();
  }
}

const STORAGE = Symbol('refusal counters');

/** Limits the calls of each address that a service refuses (see RefusalLimit). The service needs ServiceModule. */
@Module({})
export class RefusalLimitModule {
  constructor(@Inject(RefusalLimit) limit: RefusalLimit, @Inject(RefusedCalls) refusedCalls: RefusedCalls) {
    refusedCalls.limitBy(limit);
  }

  /** @param service name of the service in the keys of its counters */
  static forRoot(service: string, config: RateLimitFields & { SITE: Site }): DynamicModule {
    const { redisUrl, multiplier } = rateLimitOf(config);
    const storage = throttlerStorage(redisUrl, `${service}:${config.SITE}`);
    return {
      module: RefusalLimitModule,
      providers: [
        // As a provider of its own, so that Nest connects and disconnects it.
        { provide: STORAGE, useValue: storage },
        { provide: RefusalLimit, useValue: new RefusalLimit(storage, multiplier) },
      ],
    };
  }
}
