import { HttpException } from '@nestjs/common';

/**
 * What may go wrong with a sign-in through a provider, by the code that a browser finds in
 * `{CONSOLE_UI_URL}/login?error=<code>`, but for the first, which is a 404 to everybody. Nothing that the provider says
 * is passed on.
 */
const FAILURES = {
  unknown_provider: [404, 'there is no such provider'],
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

export type FailureCode = keyof typeof FAILURES;

export class OAuthFailure extends HttpException {
  constructor(readonly code: FailureCode) {
    const [status, message] = FAILURES[code];
    super(message, status);
  }
}

/** The code for a browser; an account that changed in the middle of its sign-in is told to begin again. */
export const codeOf = (error: HttpException): FailureCode =>
  error instanceof OAuthFailure ? error.code : 'sign_in_refused';
