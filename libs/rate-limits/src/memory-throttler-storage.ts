import { type OnApplicationShutdown } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';

interface Window {
  hits: number;
  endsAtMillis: number;
}

export type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

const CLEANUP_MILLIS = 60_000;

/**
 * Counts requests in fixed windows, in constant time and space per key. (The library's own storage keeps a
 * timestamp per request and looks at each of them every time, which a load test feels.)
 */
export class MemoryThrottlerStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly windows = new Map<string, Window>();
  private readonly cleanupTimer = setInterval(() => this.deleteExpired(), CLEANUP_MILLIS).unref();

  increment(key: string, ttlMillis: number, limit: number): Promise<Count> {
    // Whole milliseconds: adding and subtracting a fraction may yield a little more than the window.
    const now = Math.floor(performance.now());
    let window = this.windows.get(key);
    if (!window || window.endsAtMillis <= now) {
      window = { hits: 0, endsAtMillis: now + ttlMillis };
      this.windows.set(key, window);
    }
    window.hits++;
    const secondsLeft = Math.ceil((window.endsAtMillis - now) / 1000);
    return Promise.resolve({
      totalHits: window.hits,
      timeToExpire: secondsLeft,
      isBlocked: window.hits > limit,
      timeToBlockExpire: secondsLeft,
    });
  }

  onApplicationShutdown(): void {
    clearInterval(this.cleanupTimer);
  }

  private deleteExpired(): void {
    const now = performance.now();
    for (const [key, { endsAtMillis }] of this.windows) if (endsAtMillis <= now) this.windows.delete(key);
  }
}
