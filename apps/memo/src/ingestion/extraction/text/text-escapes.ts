/** How a text format writes characters that it cannot hold as they are. Search would find neither them nor the words beside them. */
interface Escapes {
  pattern: RegExp;
  /** What the file means with a match. */
  resolve: (match: string) => string;
  /** The beginning of a match that the end of a piece cuts off. */
  unfinished: RegExp;
}

const JSON_START = /^\ufeff?\s*[[{]/;
/** Tokens of JSON (RFC 8259). A text of which other characters are a part, such as source code, is no JSON. */
const JSON_TOKEN =
  /\s+|"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:]/y;
const UNFINISHED_STRING = /^(?:"[^"\n]*|[\da-z.-]+)$/;
const JSON_SAMPLE_CHARACTERS = 16 * 1024;
const JSON_SIGNS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: ' ', f: '\n' };
const JSON_ESCAPES: Escapes = {
  pattern: /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g,
  resolve: (match) =>
    match[1] === 'u'
      ? String.fromCharCode(Number.parseInt(match.slice(2), 16))
      : (JSON_SIGNS[match[1]!] ?? match[1]!),
  // The second half of a pair of surrogates follows the first one.
  unfinished: /(?<!\\)(?:\\\\)*((?:\\u[dD][89abAB][\da-fA-F]{2})?(?:\\(?:u[\da-fA-F]{0,3})?)?)$/,
};

const XML_NAMES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_CODE_POINT = 0x10_ffff;
const XML_ESCAPES: Escapes = {
  pattern: /&(?:#\d{1,7}|#x[\da-fA-F]{1,6}|amp|lt|gt|quot|apos);/g,
  resolve: (match) => {
    const name = match.slice(1, -1);
    if (!name.startsWith('#')) return XML_NAMES[name]!;
    const point = Number(name.replace('#x', '0x').replace('#', ''));
    return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : match;
  },
  unfinished: /(&[#\w]{0,8})$/,
};

/** iCalendar and vCard (RFC 5545, RFC 6350): lines are folded after 75 bytes, also within words. */
const CALENDAR_ESCAPES: Escapes = {
  pattern: /\r?\n[ \t]|\\[nN,;\\]/g,
  resolve: (match) => (match[0] !== '\\' ? '' : /n/i.test(match) ? '\n' : match[1]!),
  unfinished: /(\r?\n|\r|\\)$/,
};

function isJson(text: string): boolean {
  if (!JSON_START.test(text)) return false;
  const sample = text.replace(/^\ufeff/, '').slice(0, JSON_SAMPLE_CHARACTERS);
  JSON_TOKEN.lastIndex = 0;
  for (let at = 0; at < sample.length; at = JSON_TOKEN.lastIndex)
    if (!JSON_TOKEN.test(sample))
      return text.length > sample.length && UNFINISHED_STRING.test(sample.slice(at));
  return true;
}

function escapesIn(start: string): Escapes | undefined {
  if (/^\ufeff?\s*<\?xml\s/.test(start)) return XML_ESCAPES;
  if (/^\ufeff?BEGIN:V(?:CALENDAR|CARD)\s/i.test(start)) return CALENDAR_ESCAPES;
  return isJson(start) ? JSON_ESCAPES : undefined;
}

/** Replaces the escapes of JSON, XML and calendars by what they mean, in a text that arrives in pieces. */
export class TextEscapes {
  private escapes: Escapes | undefined;
  private isStarted = false;
  private rest = '';

  /** @param piece of the text; the first one tells its format */
  read(piece: string, isLast: boolean): string {
    if (!this.isStarted) this.escapes = escapesIn(piece);
    this.isStarted = true;
    if (!this.escapes) return piece;
    const { pattern, resolve, unfinished } = this.escapes;
    const text = this.rest + piece;
    const held = isLast ? '' : (unfinished.exec(text.slice(-TAIL_CHARACTERS))?.[1] ?? '');
    this.rest = held;
    return text.slice(0, text.length - held.length).replace(pattern, resolve);
  }
}

/** Longer runs of backslashes are none of text. */
const TAIL_CHARACTERS = 64;
