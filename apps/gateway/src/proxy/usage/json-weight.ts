/** Least of a name, a text, a number or a constant, and that of a list or an object: as much as a token of text has. */
const LEAST = 4;

const [QUOTE, BACKSLASH, LOWER_U] = [0x22, 0x5c, 0x75];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
/** Of `\u0061`. */
const UNICODE_ESCAPE_BYTES = 6;
const [SURROGATES, BEHIND_SURROGATES] = [0xd800, 0xe000];
/** Bytes between the names and values of JSON. */
const IS_BETWEEN = new Uint8Array(256);
for (const byte of Buffer.from(' \t\r\n,:]}')) IS_BETWEEN[byte] = 1;

const weightOf = (bytes: number): number => (bytes > LEAST ? bytes : LEAST);

/**
 * What the names and values of a JSON text weigh: their bytes in UTF-8, without escapes, spaces and signs. The same value weighs the same
 * however it is written, and a name that is given twice weighs twice.
 * @param json valid JSON
 */
export function jsonWeight(json: Uint8Array): number {
  const { length } = json;
  let weight = 0;
  for (let at = 0; at < length;) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      const start = ++at;
      /** Bytes that only escapes have. */
      let signs = 0;
      for (let next = json[at]!; next !== QUOTE; next = json[at]!) {
        if (next !== BACKSLASH) at++;
        else if (json[at + 1] === LOWER_U) {
          signs += UNICODE_ESCAPE_BYTES - utf8Bytes(json, at + 2);
          at += UNICODE_ESCAPE_BYTES;
        } else {
          signs += 1;
          at += 2;
        }
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

/** Bytes of the character whose four digits are here; half a pair has half of its bytes. */
function utf8Bytes(json: Uint8Array, at: number): number {
  const code = parseInt(String.fromCharCode(...json.subarray(at, at + 4)), 16);
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= SURROGATES && code < BEHIND_SURROGATES) ? 2 : 3;
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
