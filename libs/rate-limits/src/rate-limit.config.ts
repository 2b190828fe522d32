import { env } from '@inference/config';
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

export type RateLimitFields = z.output<z.ZodObject<typeof rateLimitFields>>;

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
