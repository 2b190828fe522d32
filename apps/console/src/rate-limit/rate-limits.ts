import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import { type Site } from '@inference/config';
import { type ThrottlerModuleOptions } from '@nestjs/throttler';
import { type Request } from 'express';
import { MAX_IDENTIFIER_LENGTH, normaliseIdentifier } from '../auth/identifier';
import { WindowCounter } from './window-counter';

const WINDOW_MILLIS = 60_000;
const REQUESTS_PER_WINDOW = 3_000;
const ATTEMPTS_PER_WINDOW = 30;

const TAKES_PASSWORD = 'takes password';

/** Marks a route where passwords could be guessed. */
export const TakesPassword = () => SetMetadata(TAKES_PASSWORD, true);

const takesPassword = (context: ExecutionContext) =>
  Reflect.getMetadata(TAKES_PASSWORD, context.getHandler()) === true;

/** What a request calls the account that it wants to open or to make; nothing valid is longer. */
function claimedAccount({ body }: Request, site: Site): string | null {
  const { identifier, email } = (body ?? {}) as Record<string, unknown>;
  const claimed = identifier ?? email;
  if (typeof claimed !== 'string' || claimed === '' || claimed.length > MAX_IDENTIFIER_LENGTH) return null;
  return normaliseIdentifier(claimed, site);
}

/**
 * Per minute: 3,000 requests from one address; of those that bear a password 30, and 30 for one identifier from
 * wherever they come.
 */
export function rateLimits(multiplier: number, site: Site): ThrottlerModuleOptions {
  const scaled = (limit: number) => Math.max(1, Math.round(limit * multiplier));
  const common = { ttl: WINDOW_MILLIS, blockDuration: 0 };
  return {
    storage: new WindowCounter(),
    generateKey: (_context, tracker, limitName) => `${limitName} ${tracker}`,
    throttlers: [
      { ...common, name: 'requests', limit: scaled(REQUESTS_PER_WINDOW) },
      {
        ...common,
        name: 'attempts',
        limit: scaled(ATTEMPTS_PER_WINDOW),
        skipIf: (context) => !takesPassword(context),
      },
      {
        ...common,
        name: 'attempts by identifier',
        limit: scaled(ATTEMPTS_PER_WINDOW),
        skipIf: (context) =>
          !takesPassword(context) ||
          claimedAccount(context.switchToHttp().getRequest<Request>(), site) === null,
        getTracker: (request) => claimedAccount(request as Request, site) ?? '',
      },
    ],
  };
}
