import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import { type ThrottlerModuleOptions } from '@nestjs/throttler';
import { type Request } from 'express';
import { type ConsoleConfig } from '../config';
import { WEBHOOK_PATH } from '../service-options';
import { SharedCounter } from './shared-counter';
import { WindowCounter } from './window-counter';

const WINDOW_MILLIS = 60_000;
const REQUESTS_PER_WINDOW = 3_000;
const ATTEMPTS_PER_WINDOW = 30;
const NOTIFICATIONS_PER_WINDOW = 60_000;

const CREDENTIAL_ATTEMPT = 'credential attempt';

/** Marks a route that takes, makes or replaces a credential: where somebody could guess, or cause mail or much work. */
export const CredentialAttempt = () => SetMetadata(CREDENTIAL_ATTEMPT, true);

const isCredentialAttempt = (context: ExecutionContext) =>
  Reflect.getMetadata(CREDENTIAL_ATTEMPT, context.getHandler()) === true;

const isNotification = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>().path.toLowerCase().startsWith(WEBHOOK_PATH);

type Config = Pick<ConsoleConfig, 'RATE_LIMIT_MULTIPLIER' | 'REDIS_URL' | 'SITE'>;

/**
 * From one address, per minute: 3,000 requests, and of those that are attempts at a credential 30; but 60,000
 * notifications, since a payment provider sends everybody's. What is guessed at one account, from wherever it comes,
 * the guess desk limits.
 */
export function rateLimits({ RATE_LIMIT_MULTIPLIER, REDIS_URL, SITE }: Config): ThrottlerModuleOptions {
  const scaled = (limit: number) => Math.max(1, Math.round(limit * RATE_LIMIT_MULTIPLIER));
  const common = { ttl: WINDOW_MILLIS, blockDuration: 0 };
  return {
    storage: REDIS_URL ? new SharedCounter(REDIS_URL, `console:${SITE}:limit:`) : new WindowCounter(),
    generateKey: (_context, tracker, limitName) => `${limitName} ${tracker}`,
    throttlers: [
      { ...common, name: 'requests', limit: scaled(REQUESTS_PER_WINDOW), skipIf: isNotification },
      {
        ...common,
        name: 'notifications',
        limit: scaled(NOTIFICATIONS_PER_WINDOW),
        skipIf: (context) => !isNotification(context),
      },
      {
        ...common,
        name: 'attempts',
        limit: scaled(ATTEMPTS_PER_WINDOW),
        skipIf: (context) => !isCredentialAttempt(context),
      },
    ],
  };
}
