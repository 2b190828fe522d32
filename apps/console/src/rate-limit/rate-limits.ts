import { addressGroup } from '@inference/http';
import { type RateLimitConfig, throttlerStorage } from '@inference/rate-limits';
import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import { type ThrottlerModuleOptions } from '@nestjs/throttler';
import { type Request } from 'express';
import { type SiteConfig } from '../site.config';

/** The notifications of payment providers arrive below this path. */
export const WEBHOOK_PATH = '/api/billing/webhooks/';

const CREDENTIAL_LIMIT = 'credential limit';

/** A limit in addition to that of all requests. */
type CredentialLimit = 'attempts' | 'refreshes';

/**
 * Marks a route that accepts, creates or replaces a credential. It has the strict limit, because it can be abused to
 * find a credential by trying, to cause mail or to cause much work.
 */
export const CredentialAttempt = () => SetMetadata(CREDENTIAL_LIMIT, 'attempts' satisfies CredentialLimit);

/**
 * Marks the route that continues sessions. It is counted apart, with a limit that many tabs and people behind one address do not
 * reach: its credential is too long to be found by trying.
 */
export const RefreshAttempt = () => SetMetadata(CREDENTIAL_LIMIT, 'refreshes' satisfies CredentialLimit);

const hasCredentialLimit = (context: ExecutionContext, limit: CredentialLimit): boolean =>
  Reflect.getMetadata(CREDENTIAL_LIMIT, context.getHandler()) === limit;

const WINDOW_MILLIS = 60_000;
/** Requests of one address in a window: chosen so that no person and no page reaches it. */
const REQUESTS_PER_WINDOW = 3_000;
/** Requests of one address to the routes that are marked as credential attempts, counted together. */
const ATTEMPTS_PER_WINDOW = 30;
/** Refreshes of sessions of one address: every page that a browser loads begins with one. */
const REFRESHES_PER_WINDOW = 300;
/** Webhook requests of one address: a payment provider sends those of all customers from few addresses. */
const WEBHOOKS_PER_WINDOW = 60_000;

/** Name of the limit of all requests of an address. */
export const REQUEST_LIMIT = 'requests';

const scaled = (limit: number, multiplier: number) => Math.max(1, Math.round(limit * multiplier));
const counterKey = (limitName: string, tracker: string) => `${limitName} ${tracker}`;

const isWebhook = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>().path.toLowerCase().startsWith(WEBHOOK_PATH);

const isNot = (limit: CredentialLimit) => (context: ExecutionContext) => !hasCredentialLimit(context, limit);

/** The limits per address. LoginThrottle limits the login attempts per account. */
export function throttlerOptions(
  { redisUrl, multiplier }: RateLimitConfig,
  { site }: Pick<SiteConfig, 'site'>,
): ThrottlerModuleOptions {
  const common = { ttl: WINDOW_MILLIS, blockDuration: 0 };
  return {
    storage: throttlerStorage(redisUrl, `console:${site}`),
    getTracker: ({ ip }) => addressGroup(ip as string | undefined),
    generateKey: (_context, tracker, limitName) => counterKey(limitName, tracker),
    throttlers: [
      {
        ...common,
        name: REQUEST_LIMIT,
        limit: scaled(REQUESTS_PER_WINDOW, multiplier),
        skipIf: isWebhook,
      },
      {
        ...common,
        // The name is part of the keys in Redis.
        name: 'notifications',
        limit: scaled(WEBHOOKS_PER_WINDOW, multiplier),
        skipIf: (context) => !isWebhook(context),
      },
      {
        ...common,
        name: 'attempts',
        limit: scaled(ATTEMPTS_PER_WINDOW, multiplier),
        skipIf: isNot('attempts'),
      },
      {
        ...common,
        name: 'refreshes',
        limit: scaled(REFRESHES_PER_WINDOW, multiplier),
        skipIf: isNot('refreshes'),
      },
    ],
  };
}

/** What limits the requests that no guard sees, such as for documents and pages: they count among all of an address. */
export const requestLimit = ({ multiplier }: RateLimitConfig, ip: string | undefined) => ({
  key: counterKey(REQUEST_LIMIT, addressGroup(ip)),
  windowMillis: WINDOW_MILLIS,
  limit: scaled(REQUESTS_PER_WINDOW, multiplier),
});
