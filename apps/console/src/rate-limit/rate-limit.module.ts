import { TooManyRequestsException } from '@inference/http';
import { type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule, type ThrottlerRequest } from '@nestjs/throttler';
import { RATE_LIMIT_CONFIG } from '@inference/rate-limits';
import { type Request, type Response } from 'express';
import { SITE_CONFIG } from '../site.config';
import { throttlerOptions } from './rate-limits';

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
export class RateLimitModule {}
