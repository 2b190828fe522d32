import { ACCOUNT_SUSPENDED, AccountSuspendedException } from '@inference/guards';
import { DetailedException, RETRY_AFTER_ONE_SECOND } from '@inference/http';
import { type HttpException, type HttpExceptionOptions } from '@nestjs/common';

/**
 * Errors of a sign-in through a provider. A browser is redirected to `{CONSOLE_UI_URL}/sign-in#error=<code>`, or to
 * `/settings/identities#error=<code>` if it was to link an identity; other clients get the status and the message. `unknown_provider` is 404 for browsers too. No text of the provider is passed
 * on.
 */
const FAILURES = {
  unknown_provider: [404, 'no such provider'],
  flow_invalid: [400, 'the sign-in is too old or was begun elsewhere; begin again'],
  access_denied: [403, 'consent was denied at the provider'],
  signup_closed: [403, 'this site takes no new accounts'],
  email_not_verified: [403, 'the provider does not vouch for an e-mail address'],
  sign_in_refused: [401, 'the sign-in through the provider was refused; begin again'],
  session_ended: [401, 'the session in which this was begun has ended'],
  email_taken: [
    409,
    'an account with this e-mail address exists already; sign in to it, then link the provider',
  ],
  identity_taken: [409, 'this identity is linked to another account'],
  provider_unavailable: [503, 'the provider cannot be used now'],
} as const;

export type OAuthErrorCode = keyof typeof FAILURES;

/** A 503 has `Retry-After`. */
export class OAuthException extends DetailedException {
  constructor(
    readonly code: OAuthErrorCode,
    options?: HttpExceptionOptions,
  ) {
    const [status, message] = FAILURES[code];
    super(status, message, {}, status === 503 ? RETRY_AFTER_ONE_SECOND : undefined, options);
  }
}

/** Error code for a browser. An exception of another kind means that the account changed during the sign-in. */
export function codeOf(error: HttpException): OAuthErrorCode | typeof ACCOUNT_SUSPENDED {
  if (error instanceof AccountSuspendedException) return ACCOUNT_SUSPENDED;
  return error instanceof OAuthException ? error.code : 'sign_in_refused';
}
