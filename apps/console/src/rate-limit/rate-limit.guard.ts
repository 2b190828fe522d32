import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import { RetryLaterException } from '@inference/http';
import { type Request, type Response } from 'express';
import { WEBHOOK_PATH } from '../service-options';

/** Probes and the notifications of payment providers come often and from few addresses. */
const UNLIMITED_PATHS = new Set(['/healthz', '/metrics']);
const isUnlimited = ({ path }: Request) => UNLIMITED_PATHS.has(path) || path.startsWith(WEBHOOK_PATH);

/** Answers 429 with `Retry-After`, and every request with the `RateLimit-*` headers of its tightest limit. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return isUnlimited(context.switchToHttp().getRequest<Request>());
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
    throw new RetryLaterException('too many requests', count.timeToBlockExpire);
  }
}
