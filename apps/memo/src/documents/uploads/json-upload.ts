/** The body of a JSON upload. The text is kept apart from the other fields, because only the text may be large. */
export interface JsonUpload {
  fields: Record<string, unknown>;
  /** UTF-8. */
  text: Uint8Array;
}

export type JsonUploadResult = JsonUpload | { fault: string };

/** Most bytes of a body beside its text: titles and metadata are far smaller, and the rest is parsed into objects. */
const MAX_OTHER_BYTES = 131_072;
/** Deeper nesting is refused: metadata has one level. */
const MAX_DEPTH = 100;
const TEXT_KEY = '"text"';
const BACKSLASH = 0x5c;

/**
 * Parses the member `text` apart from the rest of the body, so that parsing allocates no more than the text and
 * MAX_OTHER_BYTES, whatever the body contains.
 */
export function parseJsonUpload(body: Uint8Array): JsonUploadResult {
  try {
    const decoded = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(part);
    const found = locateText(body);
    const { start, end } = found ?? { start: body.length, end: body.length };
    const rest = decoded(body.subarray(0, start)) + (found ? '""' : '') + decoded(body.subarray(end));
    const value: unknown = JSON.parse(rest);
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return { fault: 'the body must be a JSON object' };
    const { text: other, ...fields } = value as Record<string, unknown>;
    if (!found) return { fault: other === undefined ? 'text: is missing' : 'text: must be a string' };
    const text: string = JSON.parse(decoded(body.subarray(start, end)));
    if (text.trim() === '') return { fault: 'text: must not be empty' };
    return { fields, text: new TextEncoder().encode(text) };
  } catch (error) {
    return { fault: error instanceof RangeError ? error.message : 'the body is not valid JSON' };
  }
}

/**
 * The position of the string value of the member `text`, including its quotation marks; null if there is none.
 * Throws a RangeError for a second `text`, for too many other bytes, and for nesting that is too deep.
 */
function locateText(body: Uint8Array): { start: number; end: number } | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let [depth, otherBytes, isTextNext] = [0, 0, false];
  let found: { start: number; end: number } | null = null;
  for (let at = 0; at < bytes.length; at++) {
    const character = String.fromCharCode(bytes[at]!);
    if (character === '"') {
      const end = endOfString(bytes, at);
      if (isTextNext && found) throw new RangeError('text: must be given once');
      if (isTextNext) found = { start: at, end };
      else otherBytes += end - at;
      const isTextKey =
        depth === 1 && end - at === TEXT_KEY.length && bytes.toString('latin1', at, end) === TEXT_KEY;
      isTextNext = !isTextNext && isTextKey;
      at = end - 1;
    } else {
      otherBytes += 1;
      if (character === '{' || character === '[') depth += 1;
      if (character === '}' || character === ']') depth -= 1;
      if (!' \t\r\n:'.includes(character)) isTextNext = false;
    }
    if (depth > MAX_DEPTH) throw new RangeError('the body is nested too deeply');
    if (otherBytes > MAX_OTHER_BYTES) throw new RangeError('the fields other than text are too long');
  }
  return found;
}

/** The offset behind the closing quotation mark; the end of the body if the string is not closed. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf('"', start + 1); at >= 0; at = bytes.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return bytes.length;
}
