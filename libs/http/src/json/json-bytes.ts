/** Longest path in a message: names come from the client, and an error must not repeat megabytes of them. */
const MAX_PATH_CHARS = 100;

/** Why bytes are refused as JSON. The message quotes nothing of the body but a short path. */
export class JsonFault extends Error {
  /** Names and indices separated by dots; undefined for the body as a whole. */
  readonly path: string | undefined;

  constructor(
    /** `syntax`: it is not JSON. `limit`: a limit is exceeded. `value`: what is at `path` is refused. */
    readonly kind: 'syntax' | 'limit' | 'value',
    /** Such as "must be given once". */
    readonly problem: string,
    parts: string[] = [],
  ) {
    const path = shortened(parts.join('.'));
    super(path === '' ? `the body ${problem}` : `${path}: ${problem}`);
    this.path = path === '' ? undefined : path;
  }
}

const shortened = (path: string): string =>
  path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;

const [QUOTE, BACKSLASH, ZERO, NINE, LOWER_U] = [0x22, 0x5c, 0x30, 0x39, 0x75];
const ESCAPE_BYTES = 6;

/** Marks these bytes. */
export const tableOf = (bytes: string | number[]) => {
  const table = new Uint8Array(256);
  for (const byte of typeof bytes === 'string' ? Buffer.from(bytes) : bytes) table[byte] = 1;
  return table;
};

const IS_ESCAPED = tableOf('"\\/bfnrt');
const IS_HEX = tableOf('0123456789abcdefABCDEF');

/** Throws the fault of bytes that are not JSON. */
export function malformed(): never {
  throw new JsonFault('syntax', 'is not valid JSON');
}

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;

/** Returns the offset behind at least one digit, and so many at most. */
export function digitsEnd(bytes: Uint8Array, start: number, most: number): number {
  const end = start + most;
  let at = start;
  while (at < end && isDigit(bytes[at])) at++;
  return at > start ? at : malformed();
}

/** Returns the offset of the next quote that is not escaped. The byte here is not. */
export function nextQuote(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (first > start && bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return malformed();
}

/** Length of the escape that begins here. */
export function escapeBytes(bytes: Uint8Array, at: number): number {
  const escaped = bytes[at + 1];
  if (escaped === undefined) malformed();
  if (IS_ESCAPED[escaped] === 1) return 2;
  if (escaped !== LOWER_U) malformed();
  for (let i = at + 2; i < at + ESCAPE_BYTES; i++) if (IS_HEX[bytes[i] ?? 0] !== 1) malformed();
  return ESCAPE_BYTES;
}
