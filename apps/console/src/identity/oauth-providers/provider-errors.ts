import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { type OAuthErrorCode } from './oauth.exception';

/** Errors of an authorization response that mean that the user did not consent. */
const DENIALS = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]);

/** Codes of openid-client for a response with a wrong issuer, audience, nonce or signature, or an expired token. */
const INVALID_ANSWERS = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_PARSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

const ERROR_NAME = /^[a-z_]{1,64}$/;

/** Every other error means that the provider is down, or that this client is not registered there as configured. */
export function failureOf(error: unknown): OAuthErrorCode {
  if (error instanceof AuthorizationResponseError && DENIALS.has(error.error)) return 'access_denied';
  if (error instanceof ResponseBodyError && error.status < 500 && error.error === 'invalid_grant')
    return 'sign_in_refused';
  if (error instanceof ClientError && INVALID_ANSWERS.has(error.code ?? '')) return 'sign_in_refused';
  return 'provider_unavailable';
}

/** Describes an error for the log without its message, which may contain codes, tokens and claims. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { name, code, status, error: named } = error as Error & Record<string, unknown>;
  const quotable = typeof named === 'string' && ERROR_NAME.test(named) ? named : undefined;
  const reason = error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;
  return [name, code, status, quotable, reason].filter((part) => part !== undefined).join(' ');
}
