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

const MAX_AGE_SECONDS = 60;

/** What a cached route answers. */
export interface Cacheable {
  /** An object is written as JSON; a text is of the type that `@Cached` names. */
  body: object | string;
  /** Null when unknown, or too recent to be told from the next change (see `readChange`). */
  changedAt: Date | null;
}

/** Weak, since a proxy may compress the body. */
function entityTag(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Express compares these headers with those of the request, and makes it a 304 where they say the same. */
class CachedInterceptor implements NestInterceptor {
  constructor(private readonly contentType: string) {}

  intercept(context: ExecutionContext, next: CallHandler<Cacheable>): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    // Who wants no cache's word, as `fetch` does beside a validator of one's own, has ours: Express would send it all.
    delete context.switchToHttp().getRequest<Request>().headers['cache-control'];
    return next.handle().pipe(
      map(({ body, changedAt }) => {
        const text = typeof body === 'string' ? body : stringifyExact(body);
        // Only now, since an error is JSON whatever the route.
        response.type(this.contentType);
        response.set({ 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`, ETag: entityTag(text) });
        if (changedAt) response.set('Last-Modified', changedAt.toUTCString());
        return text;
      }),
    );
  }
}

/** A public answer that others may keep for a minute, and that need not be sent again while it is the same (304). */
export const Cached = (contentType = 'application/json') =>
  UseInterceptors(new CachedInterceptor(contentType));
