import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/**
 * Counters that all replicas share through Redis, or counters of this process without a URL.
 * @param owner whose counters these are, such as `console:intl`: one Redis may serve several services and sites
 */
export const throttlerStorage = (redisUrl: string | undefined, owner: string) =>
  redisUrl === undefined
    ? new MemoryThrottlerStorage()
    : new RedisThrottlerStorage(redisUrl, `${owner}:limit:`);
