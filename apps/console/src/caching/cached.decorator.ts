import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { stringifyExact } from '@inference/money';
import { type Request, type Response } from 'express';
import { map, type Observable } from 'rxjs';

/** How stale a cached response may be: an admin's change is public within a minute. Half doubles the load of renewals. */
const MAX_AGE_SECONDS = 60;

/** The response of a route with `@Cached`. */
export interface CacheableResponse<Body extends object | string = object | string> {
  /** An object is sent as JSON, a string as it is with the content type of `@Cached`. */
  body: Body;
  /** Becomes `Last-Modified`; null to send none (see `readLastChange`). */
  changedAt: Date | null;
}

/** A weak entity tag, because a proxy may compress the body. */
function entityTag(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Sets the validators of a response. Express compares them with the request's and answers 304 if they match. */
class CachedInterceptor implements NestInterceptor {
  constructor(private readonly contentType: string) {}

  intercept(context: ExecutionContext, next: CallHandler<CacheableResponse>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    // A `Cache-Control: no-cache` request is still answered with 304. Express would send the whole body, also to
    // `fetch`, which adds this header to requests with a validator of their own.
    delete context.switchToHttp().getRequest<Request>().headers['cache-control'];
    return next.handle().pipe(
      map(({ body, changedAt }) => {
        const text = typeof body === 'string' ? body : stringifyExact(body);
        // Set only on success: errors are always JSON.
        response.type(this.contentType);
        response.set({ 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`, ETag: entityTag(text) });
        if (changedAt) response.set('Last-Modified', changedAt.toUTCString());
        return text;
      }),
    );
  }
}

/** Lets public caches keep the response for a minute, and answers 304 while it is unchanged. */
export const Cached = (contentType = 'application/json') =>
  UseInterceptors(new CachedInterceptor(contentType));
