/**
 * The non-zero codes of the envelope: the HTTP status × 100, and a number of its own for what a client may want to tell
 * from other errors of that status. So the status is always `code / 100`, rounded down. A code keeps its meaning for
 * good; new ones may come.
 *
 *     40000  the request is malformed: a faulty field, path or header, a body that is not JSON, or no HTTP at all
 *     40100  missing, expired or invalid credential
 *     40200  the wallet does not cover the amount
 *     40201  it would, but the money is set aside for requests that run: the same request may succeed in a moment
 *     40300  the account may not do that
 *     40301  the token quota does not allow it
 *     40400  no such path or resource
 *     40401  no such account
 *     40500  the path has no such method
 *     40800  the request took too long to arrive
 *     40901  the id was used for something else before
 *     41300  the body is too large
 *     41500  the body is not application/json, or in an unknown charset or encoding
 *     43100  the headers are too large
 *     50000  a fault of the service
 *     50300  the database, or another service that is needed, is away: see Retry-After
 *     50301  the price of training tokens is not published
 *     50302  the price of the GPU is not published
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

/** The code of an error that has none of its own. */
export const codeOf = (status: number): number => status * CODES_PER_STATUS;

export const statusOf = (code: EnvelopeCode): number => Math.floor(code / CODES_PER_STATUS);
