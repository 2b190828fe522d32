/**
 * The non-zero codes of the envelope: HTTP status × 100, plus a number that distinguishes errors of the same status. The
 * status is `code / 100`, rounded down. The meaning of a code never changes; new codes may be added.
 *
 *     40000  the request is malformed: an invalid field, path or header, a body that is not JSON, or invalid HTTP
 *     40100  missing, expired or invalid credential
 *     40200  the wallet does not cover the amount
 *     40201  it would, but the money is reserved for running requests: a retry may succeed
 *     40300  the account lacks the permission
 *     40301  the token quota is exceeded
 *     40400  the path or resource does not exist
 *     40401  the account does not exist
 *     40500  the path does not support the method
 *     40800  the request took too long to arrive
 *     40901  the id is in use for different content
 *     41300  the body is too large
 *     41500  the body is not application/json, or in an unknown charset or encoding
 *     43100  the headers are too large
 *     50000  internal error
 *     50300  the database or another required service is unavailable: see Retry-After
 *     50301  no price of training is published
 *     50302  the published price of training has no GPU hour
 *     50303  no exchange rate to USD is stored
 */
export const CODES = {
  walletEmpty: 40200,
  walletSetAside: 40201,
  quotaExceeded: 40301,
  accountUnknown: 40401,
  idReused: 40901,
  tokenPriceMissing: 50301,
  gpuPriceMissing: 50302,
  exchangeRateMissing: 50303,
} as const;
export type EnvelopeCode = (typeof CODES)[keyof typeof CODES];

const CODES_PER_STATUS = 100;

/** Returns the code of an error without a specific code. */
export const codeOf = (status: number): number => status * CODES_PER_STATUS;

export const statusOf = (code: EnvelopeCode): number => Math.floor(code / CODES_PER_STATUS);
