/** Least of a name, a text, a number or a constant, and that of a list or an object: as much as a token of text has. */
const LEAST = 4;

const [QUOTE, BACKSLASH, LOWER_U] = [0x22, 0x5c, 0x75];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
const [ZERO, EIGHT, UPPER_D, LOWER_D] = [0x30, 0x38, 0x44, 0x64];
/** Of `\u0061`. */
const UNICODE_ESCAPE_BYTES = 6;
/** A native search costs about as much as a loop over this many bytes. */
const SHORT_BYTES = 32;
/** Bytes between the names and values of JSON. */
const IS_BETWEEN = new Uint8Array(256);
for (const byte of Buffer.from(' \t\r\n,:]}')) IS_BETWEEN[byte] = 1;

const weightOf = (bytes: number): number => (bytes > LEAST ? bytes : LEAST);

/**
 * What the names and values of a JSON text weigh: their bytes in UTF-8, without escapes, spaces and signs. The same value weighs the same
 * however it is written, and a name that is given twice weighs twice.
 * @param json valid JSON
 */
export function jsonWeight(json: Buffer): number {
  const { length } = json;
  let weight = 0;
  /** The next of each, as far as they have been searched. */
  let quote = -1;
  let backslash = -1;
  for (let at = 0; at < length;) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      const start = ++at;
      /** Bytes that only escapes have. */
      let signs = 0;
      for (let next = json[at]!; next !== QUOTE; next = json[at]!) {
        if (next === BACKSLASH) {
          const bytes = json[at + 1] === LOWER_U ? UNICODE_ESCAPE_BYTES : 2;
          signs += bytes === 2 ? 1 : bytes - utf8Bytes(json, at + 2);
          at += bytes;
          continue;
        }
        const soon = at + SHORT_BYTES;
        while (at < soon && json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
        if (at < soon) continue;
        if (quote < at) quote = json.indexOf(QUOTE, at);
        if (backslash < at) backslash = searched(json.indexOf(BACKSLASH, at));
        at = Math.min(quote, backslash);
      }
      weight += weightOf(at - start - signs);
      at++;
    } else if (IS_BETWEEN[byte] === 1) at++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      weight += LEAST;
      at++;
    } else {
      const start = at;
      while (at < length && IS_BETWEEN[json[at]!] === 0) at++;
      weight += weightOf(at - start);
    }
  }
  return weight;
}

const searched = (at: number): number => (at < 0 ? Infinity : at);

/** Bytes of the character whose four digits are here; half a pair has half of its bytes. */
function utf8Bytes(json: Buffer, at: number): number {
  const [first, second, third] = [json[at]!, json[at + 1]!, json[at + 2]!];
  // Every digit above seven, letters too, is behind it in ASCII.
  if (first === ZERO && second < EIGHT) return second === ZERO && third < EIGHT ? 1 : 2;
  const isHalf = (first === UPPER_D || first === LOWER_D) && second >= EIGHT;
  return isHalf ? 2 : 3;
}

/** As `jsonWeight`, of a value that was parsed. */
export function valueWeight(value: unknown): number {
  if (typeof value === 'string') return weightOf(Buffer.byteLength(value));
  if (value === null || typeof value !== 'object') return weightOf(String(value).length);
  let weight = LEAST;
  if (Array.isArray(value)) for (const entry of value as unknown[]) weight += valueWeight(entry);
  else
    for (const name of Object.keys(value))
      weight += weightOf(Buffer.byteLength(name)) + valueWeight((value as Record<string, unknown>)[name]);
  return weight;
}
