const ANSWER_MILLIS = 10_000;
const MAX_ANSWER_BYTES = 20 * 1_048_576;
const MAX_ETAG_CHARS = 500;
const NEXT_PAGE = /;\s*rel="?next"?/i;

/** Says, in few words and nothing secret, why the code host's answer cannot be used. */
export class CodeHostFailure extends Error {
  constructor(
    message: string,
    /** Before then the host does not want to be asked again. */
    readonly notBefore: Date | null = null,
  ) {
    super(message);
  }
}

export interface CodeHostAnswer {
  /** What the JSON says; undefined when it is still what the entity tag stands for. */
  body: unknown;
  etag: string | null;
  /** Whether the host itself says that the list goes on. */
  hasNextPage: boolean;
  /** Before then the host does not want to be asked again. */
  notBefore: Date | null;
}

/** GET of JSON, within 10 seconds and 20 MiB. Throws a CodeHostFailure, or what `signal` was aborted with. */
export async function askCodeHost(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  answerMillis = ANSWER_MILLIS,
): Promise<CodeHostAnswer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMillis)]);
  try {
    // Where a redirect leads was configured by nobody, and must not get the token.
    const response = await fetch(url, { headers, signal: limited, redirect: 'manual' });
    const notBefore = notBeforeOf(response.headers);
    const isUnchanged = response.status === 304 && 'If-None-Match' in headers;
    if (response.status !== 200) await response.body?.cancel();
    if (response.status !== 200 && !isUnchanged)
      throw new CodeHostFailure(`the code host answers with status ${response.status}`, notBefore);
    return {
      body: isUnchanged ? undefined : parseJson(await readText(response)),
      etag: etagOf(response.headers),
      hasNextPage: NEXT_PAGE.test(response.headers.get('link') ?? ''),
      notBefore,
    };
  } catch (error) {
    if (error instanceof CodeHostFailure) throw error;
    signal.throwIfAborted();
    throw new CodeHostFailure(reasonOf(error, answerMillis));
  }
}

function etagOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag !== null && etag.length <= MAX_ETAG_CHARS ? etag : null;
}

/** RFC 9110, section 10.2.3, and GitHub's rate limit: of both the later one. */
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
    // Leaving the loop ends the connection.
    if (length > MAX_ANSWER_BYTES)
      throw new CodeHostFailure(`the code host's answer has more than ${MAX_ANSWER_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** The parser's own words would quote the answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CodeHostFailure("the code host's answer is not JSON");
  }
}

/** What the connection died of, where fetch says no more than that it failed. */
function reasonOf(error: unknown, answerMillis: number): string {
  const { cause = error } = error as Error;
  const { code, name } = cause as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return `the code host has not answered within ${answerMillis / 1_000} seconds`;
  return `the code host cannot be reached: ${typeof code === 'string' ? code : name}`;
}
