const TIMEOUT_MILLIS = 10_000;
/** Far above a usual page of 100 releases, and small enough to be held in memory. */
const MAX_RESPONSE_BYTES = 20 * 1_048_576;
const MAX_ETAG_CHARS = 500;
const NEXT_PAGE = /;\s*rel="?next"?/i;

/** Why the code host's response cannot be used. The message is short and holds nothing secret: admins see it. */
export class CodeHostError extends Error {
  constructor(
    message: string,
    /** The code host accepts no request before this time. */
    readonly notBefore: Date | null = null,
  ) {
    super(message);
  }
}

export interface CodeHostResponse {
  /** Parsed JSON; undefined if it is unchanged since the entity tag of the request. */
  body: unknown;
  etag: string | null;
  /** True if the `Link` header names a next page. */
  hasNextPage: boolean;
  /** The code host accepts no request before this time. */
  notBefore: Date | null;
}

/**
 * Requests JSON with GET, by default within 10 seconds and always within 20 MiB. Throws a CodeHostError, or the reason
 * with which `signal` was aborted.
 */
export async function requestCodeHost(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  timeoutMillis = TIMEOUT_MILLIS,
): Promise<CodeHostResponse> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)]);
  try {
    // The target of a redirect is not configured and must not get the token.
    const response = await fetch(url, { headers, signal: limited, redirect: 'manual' });
    const notBefore = notBeforeOf(response.headers);
    const isUnchanged = response.status === 304 && 'If-None-Match' in headers;
    if (response.status !== 200) await response.body?.cancel();
    if (response.status !== 200 && !isUnchanged)
      throw new CodeHostError(`the code host answers with status ${response.status}`, notBefore);
    return {
      body: isUnchanged ? undefined : parseJson(await readText(response)),
      etag: etagOf(response.headers),
      hasNextPage: NEXT_PAGE.test(response.headers.get('link') ?? ''),
      notBefore,
    };
  } catch (error) {
    if (error instanceof CodeHostError) throw error;
    signal.throwIfAborted();
    throw new CodeHostError(reasonOf(error, timeoutMillis));
  }
}

function etagOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag !== null && etag.length <= MAX_ETAG_CHARS ? etag : null;
}

/** The later one of `Retry-After` (RFC 9110, section 10.2.3) and the end of GitHub's rate limit. */
function notBeforeOf(headers: Headers): Date | null {
  const after = headers.get('retry-after') ?? '';
  const resetSeconds = headers.get('x-ratelimit-remaining') === '0' ? headers.get('x-ratelimit-reset') : null;
  const times = [
    /^\d{1,10}$/.test(after) ? Date.now() + Number(after) * 1_000 : Date.parse(after),
    /^\d{1,12}$/.test(resetSeconds ?? '') ? Number(resetSeconds) * 1_000 : NaN,
  ].filter((time) => !Number.isNaN(time));
  return times.length === 0 ? null : new Date(Math.max(...times));
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
    // Leaving the loop closes the connection.
    if (length > MAX_RESPONSE_BYTES)
      throw new CodeHostError(`the code host's answer has more than ${MAX_RESPONSE_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** Hides the parser's message, which would quote the response. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CodeHostError("the code host's answer is not JSON");
  }
}

/** Names the cause of a failed connection, which `fetch` only has as `cause` of its error. */
function reasonOf(error: unknown, timeoutMillis: number): string {
  const { cause = error } = error as Error;
  const { code, name } = cause as NodeJS.ErrnoException;
  if (name === 'TimeoutError')
    return `the code host has not answered within ${timeoutMillis / 1_000} seconds`;
  return `the code host cannot be reached: ${typeof code === 'string' ? code : name}`;
}
