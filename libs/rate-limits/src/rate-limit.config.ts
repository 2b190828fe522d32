import { env } from '@inference/config';
import { type z } from 'zod';

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
