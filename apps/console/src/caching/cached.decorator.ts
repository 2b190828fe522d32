import { createHash } from 'node:crypto';
import { stringifyExact } from '@inference/money';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiNotModifiedResponse, ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { map, type Observable } from 'rxjs';

const text = { type: 'string' } as const;

const VALIDATORS = {
  ETag: { description: 'Weak entity tag, for `If-None-Match`.', required: true, schema: text },
  'Cache-Control': {
    description: 'Any cache may keep the answer for a minute.',
    required: true,
    schema: { ...text, example: 'public, max-age=60' },
  },
};
const LAST_MODIFIED = {
  'Last-Modified': {
    description: 'The last change, for `If-Modified-Since`. Absent in the second of a change.',
    schema: text,
  },
};

/** Documents what a route with `@Cached` answers: 200 with validators, or 304. */
export const ApiCachedResponse = (
  options: ApiResponseOptions,
  { hasLastModified = true }: { hasLastModified?: boolean } = {},
) => {
  const headers = { ...VALIDATORS, ...(hasLastModified && LAST_MODIFIED) };
  return applyDecorators(
    ApiOkResponse({ ...options, headers }),
    ApiNotModifiedResponse({ description: 'Unchanged since the version that the client has.', headers }),
  );
};

/** Documents an XML document that is sent by a route with `@Cached`. It has no `Last-Modified`. */
export const ApiCachedXml = (description: string, mediaType: string, example: string) =>
  ApiCachedResponse(
    { description, content: { [mediaType]: { schema: text, example } } },
    { hasLastModified: false },
  );

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
