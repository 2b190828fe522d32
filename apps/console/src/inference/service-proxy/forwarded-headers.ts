import { type Request } from 'express';

/** Headers of the client that the service gets. No credential is among them. */
const REQUEST_HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id'];
/** Headers of the service that the client gets. None concerns a single connection. */
const RESPONSE_HEADERS = [
  'cache-control',
  'content-type',
  'idempotent-replayed',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-accel-buffering',
  'x-inference-request-id',
];

type ReceivedHeaders = Record<string, string | string[] | undefined>;

function pick(headers: ReceivedHeaders, names: string[]): Record<string, string | string[]> {
  const found = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    found.filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
}

/** The headers of a request to a service that acts for an account. */
export const requestHeadersOf = (
  { headers, id }: Pick<Request, 'headers'> & { id?: unknown },
  accountId: string,
  credential: string,
): Record<string, string | string[]> => ({
  ...pick(headers, REQUEST_HEADERS),
  authorization: `Bearer ${credential}`,
  'x-on-behalf-of': accountId,
  'x-request-id': String(id),
});

export const responseHeadersOf = (headers: ReceivedHeaders) => pick(headers, RESPONSE_HEADERS);
