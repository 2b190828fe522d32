import { randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_DIGITS = 8;
const RANDOM_DIGITS = 14;
const ID = new RegExp(`^[a-z]+_([0-9A-Za-z]{${TIME_DIGITS}})[0-9A-Za-z]{${RANDOM_DIGITS}}$`);

/**
 * An opaque id such as `acct_0Vc3…`: 8 base62 digits of the millisecond, then 14 random ones (83 bits).
 * Ids made later sort later, which keeps index inserts at the right edge.
 */
export function newId(prefix: string): string {
  return firstIdAt(prefix, Date.now()) + randomBase62(RANDOM_DIGITS);
}

/** Returns the prefix of ids of a millisecond. In byte order it precedes every id made then or later and follows all earlier ones. */
export function firstIdAt(prefix: string, millis: number): string {
  let rest = millis;
  let time = '';
  for (let i = 0; i < TIME_DIGITS; i++) {
    time = BASE62[rest % 62]! + time;
    rest = Math.floor(rest / 62);
  }
  return `${prefix}_${time}`;
}

/** Random bytes are asked for in blocks: 24 bytes alone take as long as a thousand. */
const BLOCK_BYTES = 1024;
let block = Buffer.alloc(0);
let used = 0;

function randomByte(): number {
  if (used === block.length) {
    block = randomBytes(BLOCK_BYTES);
    used = 0;
  }
  const byte = block[used]!;
  // What became a secret does not stay in memory.
  block[used++] = 0;
  return byte;
}

/** Returns random base62 digits of uniform distribution: bytes beyond the last multiple of 62 are discarded. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

/** Returns the millisecond in which `newId` made an id, or null for a text of another form. */
export function idMillis(id: string): number | null {
  const time = ID.exec(id)?.[1];
  if (time === undefined) return null;
  return [...time].reduce((millis, digit) => millis * 62 + BASE62.indexOf(digit), 0);
}
