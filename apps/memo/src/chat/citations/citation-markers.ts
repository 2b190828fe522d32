/**
 * What may become a marker: brackets, numbers, a few words and signs. Models write `[2]`, `[2, 5]`, `[1-3]`, `[[2]]`, `【2†source】`,
 * `［２］`, `[^1]`, `[Source 2]` and `\[1\]`.
 */
const MARKER_PREFIX =
  /^\\?[[【［〔](?:\\?[[【［〔\]】］〕]|[\s\p{L}\p{Nd},，、;；:：#^†‡&.~\-‐‑–—～_/|]|\\$)*/u;
/**
 * A part of a marker in ASCII brackets. A marker is read part by part, since one expression for all of it would take exponential
 * time. Numbers of four digits are years. What stands behind a dagger is the place in the source.
 */
const MARKER_PART =
  /,\s*(?:pp?\.|pages?|S\.|Seiten?|第)\s*\d{1,4}(?!\d)(?:\s*[页頁])?|[[\]\s,、;^&|]|(?:and|und|et|y|e|和|与|及)(?=\s*\d)|(?:sources?|passages?|documents?|docs?|references?|refs?\.?|citations?|cites?|quellen?|dokumente?|absatz|absätze|fuentes?|fontes?|fonti|источники?|来源|出典|参照|参考|文献|资料|段落|文档|來源|資料)(?=\s*(?:[:#]\s*)?\d)[\s:#]*|\d{1,3}(?!\d)(?::\d{1,3}(?=†)|(?:\s*[-‐–—~至到]\s*|\s+(?:to|through|bis|à)\s+)\d{1,3}(?!\d))?|[†‡](?:[^[\]†‡,、;]|[,、;](?!\s*\d{1,3}[†‡])){0,80}/iuy;
const PLACE =
  /,\s*(?:pp?\.|pages?|S\.|Seiten?|第)\s*\d{1,4}(?:\s*[页頁])?|[†‡](?:[^[\]†‡,、;]|[,、;](?!\s*\d{1,3}[†‡]))*/gi;
/** Only numbers, which may as well be an interval, a list or a matrix of the answer. */
const ONLY_NUMBERS = /^[\\[\]［］\p{Nd}\s,，、;；~～‐‑–—-]*$/u;
const NESTED = /^.+[[［]/;
const ONE_IN_BRACKETS = /\[\s*\d{1,3}\s*\]/;
/** What a bracket directly behind it belongs to: `a[0]`, `rows[0][1]`. Chinese has no space before a marker. */
const SUBJECT_OF_INDEX = /[\p{Script=Latin}\p{Nd}_\])]$/u;
/** Messages and places of another service, which name no passage. */
const FOREIGN_NUMBER = /\d{1,3}:\d{1,3}/g;
const NUMBERS = /(\d{1,3})(?:(?:\s*[-‐–—~至到]\s*|\s+(?:to|through|bis|à)\s+)(\d{1,3}))?/gi;
/**
 * A longer sequence is not a marker. This bounds the text that is held back. Half is too short for a list of 50
 * numbers with separators.
 */
const MAX_MARKER_CHARACTERS = 300;
const OPENING_BRACKETS = '[【［〔';
const CLOSING_BRACKETS = ']】］〕';
const SPACE_OR_TEXT = /[ \t]+|[^ \t[【［〔(（\\]+/y;
/** Parentheses hold a marker only with one of these words: `(Source 2)`, `（来源：1）`. A number alone counts something else as often. */
const SOURCE_WORDS =
  'source sources passage passages citation citations quelle quellen fuente fuentes fonte fontes fonti источник источники 来源 來源 出典'.split(
    ' ',
  );
const PARENTHESIS = /^[(（]\s*(\p{L}*)/u;
const IN_PARENTHESIS = String.raw`^[(（]\s*\p{L}+\s*[:：#]?\s*`;
const WHOLE_PARENTHESIS = new RegExp(
  String.raw`${IN_PARENTHESIS}\d{1,3}(?:\s*(?:[,，、;&–-]|and|und|和)\s*\d{1,3})*\s*[)）]`,
  'u',
);
const BEGUN_PARENTHESIS = new RegExp(String.raw`${IN_PARENTHESIS}(?:\d[\d\s,，、;&–a-z和-]*)?$`, 'u');
const MAX_PARENTHESIS_CHARACTERS = 60;
const SPACE = /[ \t]/;
/** Characters before which the space of a removed marker is removed too. */
const CLOSING = /[\s.,;:!?)\]}"'…。，、；：！？）】」』”’]/;
/** A marker as it is sent, with the spaces before it. */
const WITH_SPACES = /(?<![ \t])[ \t]*\[\d{1,3}\]/g;
/** Text of a document that may look like a marker, such as the reference to a footnote. */
const NOTE = /\\?[[【［〔]([^[\]【】［］〔〕]{1,80}?)\\?[\]】］〕]/g;

/**
 * Filters the citation markers of an answer while it arrives. Keeps markers `[n]` of existing passages, removes those
 * of others, and collects the cited numbers. The output does not depend on how the answer is divided into pieces.
 */
export class CitationMarkerFilter {
  readonly cited = new Set<number>();
  /** Text that may be the start of a marker. */
  private pendingMarker = '';
  /** White space that belongs before the next output. */
  private pendingSpace = '';
  /** Whether a marker after the pending space was removed. */
  private removedMarker = false;
  /** Whether the text so far ends with something that a bracket may index. */
  private isBehindSubject = false;

  /** @param passages how many passages the prompt contains, numbered from 1 */
  constructor(private readonly passages: number) {}

  /** Returns the text that can be sent so far. */
  push(text: string): string {
    return this.read(this.pendingMarker + text, false);
  }

  /** Returns the rest at the end of the answer. */
  end(): string {
    return this.read(this.pendingMarker, true) + (this.removedMarker ? '' : this.pendingSpace);
  }

  private read(text: string, isWhole: boolean): string {
    let output = '';
    let at = 0;
    while (at < text.length) {
      SPACE_OR_TEXT.lastIndex = at;
      const plain = SPACE_OR_TEXT.exec(text)?.[0];
      const length = plain === undefined ? markerLength(text.slice(at, at + MAX_MARKER_CHARACTERS)) : 0;
      if (length === undefined && !isWhole) break;
      // A bracket that starts no marker is text.
      const part = plain ?? text.slice(at, at + (length || 1));
      const isMarker = Boolean(length) && !isOfText(part, this.passages, this.isBehindSubject);
      output += isMarker ? this.marker(part) : this.plain(part);
      this.isBehindSubject = !isMarker && SUBJECT_OF_INDEX.test(part);
      at += part.length;
    }
    this.pendingMarker = text.slice(at);
    return output;
  }

  private plain(part: string): string {
    if (SPACE.test(part[0]!)) {
      this.pendingSpace = this.removedMarker ? part : this.pendingSpace + part;
      this.removedMarker = false;
      return '';
    }
    if (this.removedMarker && CLOSING.test(part[0]!)) this.pendingSpace = '';
    return this.takeSpace() + part;
  }

  private marker(marker: string): string {
    const numbers = numbersIn(marker, this.passages);
    for (const number of numbers) this.cited.add(number);
    if (numbers.length > 0) return this.takeSpace() + numbers.map((number) => `[${number}]`).join('');
    this.removedMarker = true;
    return '';
  }

  private takeSpace(): string {
    const { pendingSpace } = this;
    this.pendingSpace = '';
    this.removedMarker = false;
    return pendingSpace;
  }
}

/** A marker in ASCII signs, without the backslashes of Markdown. */
const plainMarker = (marker: string): string =>
  marker
    .replaceAll('\\', '')
    .normalize('NFKC')
    .replace(/[【〔]|^\(/g, '[')
    .replace(/[】〕]|\)$/g, ']');

const rangesIn = (marker: string): { from: number; to: number }[] =>
  [...plainMarker(marker).replace(PLACE, '').replace(FOREIGN_NUMBER, '').matchAll(NUMBERS)].map(
    ([, first, last]) => ({ from: Number(first), to: Number(last ?? first) }),
  );

/** The numbers of existing passages in a marker, in its order. A range names each number in it. */
const numbersIn = (marker: string, passages: number): number[] =>
  rangesIn(marker).flatMap(({ from, to }) => {
    const count = Math.max(0, Math.min(to, passages) - from + 1);
    return Array.from({ length: count }, (_, place) => from + place).filter((number) => number >= 1);
  });

/**
 * Whether what looks like a marker is part of the text: an index, or several numbers that are not all passages. Of a range only the
 * beginning has to be one, because models also write the end as they please.
 */
function isOfText(marker: string, passages: number, isBehindSubject: boolean): boolean {
  if (marker[0] === '(' || marker[0] === '（') return numbersIn(marker, passages).length === 0;
  if (!ONLY_NUMBERS.test(marker)) return false;
  const ranges = rangesIn(marker);
  const arePassages = ranges.every(({ from, to }) => from >= 1 && from <= to && from <= passages);
  const isOne = ranges.length === 1 && !/\d\s*[-‐–—~]/.test(plainMarker(marker));
  if (isBehindSubject && !NESTED.test(marker) && /^\\?\[/.test(marker)) return !(isOne && arePassages);
  // The rest of a text must not show the number of a passage that does not exist.
  return !isOne && !arePassages && !ONE_IN_BRACKETS.test(plainMarker(marker));
}

/**
 * The length of the marker at the start of a text; 0 if there is none, undefined if more text is needed to decide.
 */
function markerLength(text: string): number | undefined {
  // A backslash at the end may escape a bracket.
  if (text === '\\') return undefined;
  if (text[0] === '(' || text[0] === '（') return parenthesisLength(text);
  const beginning = MARKER_PREFIX.exec(text)?.[0];
  if (beginning === undefined) return 0;
  let depth = 0;
  for (let i = 0; i < beginning.length; i++) {
    if (OPENING_BRACKETS.includes(beginning[i]!)) depth += 1;
    else if (CLOSING_BRACKETS.includes(beginning[i]!)) {
      depth -= 1;
      if (depth === 0) return isMarker(beginning.slice(0, i + 1)) ? i + 1 : 0;
    }
  }
  if (beginning.length < text.length) return 0;
  // Drops the bracket, so that the rest of the sequence cannot be read as a marker.
  return text.length === MAX_MARKER_CHARACTERS ? 1 : undefined;
}

function parenthesisLength(text: string): number | undefined {
  const start = text.slice(0, MAX_PARENTHESIS_CHARACTERS);
  const [beginning = '', word = ''] = PARENTHESIS.exec(start) ?? [];
  const isOpen = text.length < MAX_PARENTHESIS_CHARACTERS;
  if (beginning === start)
    return isOpen && SOURCE_WORDS.some((one) => one.startsWith(word.toLowerCase())) ? undefined : 0;
  if (!SOURCE_WORDS.includes(word.toLowerCase())) return 0;
  const whole = WHOLE_PARENTHESIS.exec(start)?.[0].length;
  return whole ?? (isOpen && BEGUN_PARENTHESIS.test(start) ? undefined : 0);
}

function isMarker(text: string): boolean {
  const plain = plainMarker(text);
  if (!plain.startsWith('[') || !plain.endsWith(']') || !/\d/.test(plain.replace(PLACE, ''))) return false;
  MARKER_PART.lastIndex = 0;
  while (MARKER_PART.lastIndex < plain.length) if (!MARKER_PART.test(plain)) return false;
  return true;
}

/** The answer without its citation markers. */
export const removeMarkers = (answer: string): string => answer.replace(WITH_SPACES, '');

/** Makes sure that no text of a document looks like a citation marker: the footnote `[7]` becomes `(7)`. */
export const escapeMarkers = (text: string): string =>
  text.replace(NOTE, (note, content: string) => (isMarker(note) ? `(${content})` : note));
