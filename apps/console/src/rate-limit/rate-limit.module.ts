import { type CallLimit, RefusedCalls, TooManyRequestsException } from '@inference/http';
import { type ExecutionContext, Inject, Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  getStorageToken,
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { RATE_LIMIT_CONFIG, type RateLimitConfig } from '@inference/rate-limits';
import { type Request, type Response } from 'express';
import { SITE_CONFIG } from '../site.config';
import { REQUEST_LIMIT, requestLimit, throttlerOptions } from './rate-limits';

/** Its probes are frequent and come from one address. */
const UNLIMITED_PATH = '/healthz';

/** Answers 429 with `Retry-After`, and sets the `RateLimit-*` headers of the limit with the fewest requests left. */
@Injectable()
class RateLimitGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return context.switchToHttp().getRequest<Request>().path === UNLIMITED_PATH;
  }

  protected override async handleRequest(limited: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = limited;
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const tracker = await getTracker(http.getRequest<Request>(), context);
    const name = throttler.name ?? '';
    const key = generateKey(context, tracker, name);
    const count = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    const remaining = Math.max(0, limit - count.totalHits);
    const shown = response.getHeader('RateLimit-Remaining');
    if (shown === undefined || remaining < Number(shown) || count.isBlocked) {
      response.set({
        'RateLimit-Limit': String(limit),
        'RateLimit-Remaining': String(remaining),
        'RateLimit-Reset': String(count.timeToExpire),
      });
    }
    if (!count.isBlocked) return true;
    throw new TooManyRequestsException('too many requests', count.timeToBlockExpire);
  }
}

/** Counts the requests that are answered without the guard: for the API document and for pages with their content. */
class UnguardedRequestLimit implements CallLimit {
  constructor(
    private readonly storage: ThrottlerStorage,
    private readonly config: RateLimitConfig,
  ) {}

  /** The guard checks all others. */
  check(): void {}

  /** The guard has counted them. */
  count(): void {}

  /** Rejects with 429 if the address of the request is above its limit. */
  async countPublic({ ip }: Request): Promise<void> {
    const { key, windowMillis, limit } = requestLimit(this.config, ip);
    const count = await this.storage.increment(key, windowMillis, limit, 0, REQUEST_LIMIT);
    if (!count.isBlocked) return;
    throw new TooManyRequestsException('too many requests', count.timeToBlockExpire, {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(count.timeToExpire),
    });
  }
}

/**
 * Limits the requests of every address. Import it before the guard of the credentials: a refused request costs less.
 */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [RATE_LIMIT_CONFIG, SITE_CONFIG],
      useFactory: throttlerOptions,
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})
export class RateLimitModule {
  constructor(
    @Inject(getStorageToken()) storage: ThrottlerStorage,
    @Inject(RATE_LIMIT_CONFIG) config: RateLimitConfig,
    refusedCalls: RefusedCalls,
  ) {
    refusedCalls.limitBy(new UnguardedRequestLimit(storage, config));
  }
}
