import { type IncomingHttpHeaders } from 'node:http';

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
/** Linear in the length of the header: the pattern cannot backtrack. */
const WEAK_TAG = /W\/"[^"]*"[ \t]*(,|$)/g;
/** A tag that no file has. */
const NO_TAG = '""';

/** The validators of the file, as the response sends them. */
export interface Representation {
  sizeBytes: number;
  /** A strong entity tag, with quotes. */
  entityTag: string;
  /** The value of `Last-Modified`. */
  lastModified: string;
}

/** RFC 9110, section 13.1.5: `If-Range` needs the exact date or the same strong tag; a weak tag never matches. */
const isUnchanged = (ifRange: string | string[] | undefined, { entityTag, lastModified }: Representation) =>
  ifRange === undefined || ifRange === entityTag || ifRange === lastModified;

/** RFC 9110, section 14.1.2. Returns undefined for a range to ignore: an invalid one, or several (section 14.2). */
function readRange(range: string, sizeBytes: number): string | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '') return last !== '' && BigInt(last) < BigInt(first) ? undefined : `bytes=${first}-${last}`;
  // An empty file has no range. A suffix longer than the file selects all of it.
  if (sizeBytes === 0) return undefined;
  return Number(last) < sizeBytes ? `bytes=-${last}` : 'bytes=0-';
}

/**
 * Returns the conditional headers and the range of a request, corrected where the `send` package deviates from RFC 9110.
 * It treats weak tags as strong in If-Match and If-Range, accepts a later date in If-Range, answers 416 to invalid ranges
 * and to suffixes longer than the file, applies Range to HEAD, and answers no 304 to `Cache-Control: no-cache`.
 */
export function readConditionalHeaders(
  method: string,
  headers: IncomingHttpHeaders,
  representation: Representation,
): IncomingHttpHeaders {
  const ifMatch = headers['if-match'];
  const isPartial = method === 'GET' && isUnchanged(headers['if-range'], representation);
  return {
    'if-match': ifMatch === undefined ? undefined : ifMatch.replace(WEAK_TAG, '').trim() || NO_TAG,
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
    range: isPartial ? readRange(String(headers.range), representation.sizeBytes) : undefined,
  };
}
