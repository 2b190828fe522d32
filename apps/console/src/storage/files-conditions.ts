import { type IncomingHttpHeaders } from 'node:http';

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
/** Takes time in proportion to the text, whatever it is: no two matches are tried over the same characters. */
const WEAK_TAG = /W\/"[^"]*"[ \t]*(,|$)/g;
/** No entity has it. */
const NO_TAG = '""';

/** As it is, for as long as it is. */
export interface Representation {
  sizeBytes: number;
  /** Strong. */
  entityTag: string;
  /** The value of `Last-Modified`. */
  lastModified: string;
}

/** RFC 9110, 13.1.5: a tag or a date that is exactly this one's; a weak tag is nobody's. */
const isStillThis = (ifRange: string | string[] | undefined, { entityTag, lastModified }: Representation) =>
  ifRange === undefined || ifRange === entityTag || ifRange === lastModified;

/** RFC 9110, 14.1.2; undefined for what is to be ignored, which several ranges may be (14.2). */
function readRange(range: string, sizeBytes: number): string | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '') return last !== '' && BigInt(last) < BigInt(first) ? undefined : `bytes=${first}-${last}`;
  // A part of nothing cannot be told; more than there is means all of it.
  if (sizeBytes === 0) return undefined;
  return Number(last) < sizeBytes ? `bytes=-${last}` : 'bytes=0-';
}

/**
 * The conditions and the range of a request, left out or rewritten where `send` would not do as RFC 9110 has it: it
 * takes a weak tag for a strong one in If-Match and If-Range, a later date for the same one in If-Range, answers 416
 * to ranges that are none and to the last bytes of a shorter file, gives parts of a HEAD, and no 304 to those whose
 * caches want to be sure.
 */
export function readConditions(
  method: string,
  headers: IncomingHttpHeaders,
  representation: Representation,
): IncomingHttpHeaders {
  const ifMatch = headers['if-match'];
  const isPartial = method === 'GET' && isStillThis(headers['if-range'], representation);
  return {
    'if-match': ifMatch === undefined ? undefined : ifMatch.replace(WEAK_TAG, '').trim() || NO_TAG,
    'if-unmodified-since': headers['if-unmodified-since'],
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
    range: isPartial ? readRange(String(headers.range), representation.sizeBytes) : undefined,
  };
}
