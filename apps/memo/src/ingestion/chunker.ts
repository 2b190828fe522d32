import { SHORT_FORM } from '../analysis/short-forms';

/** A part of a text. The leads and texts of all of them, one after the other, are that text but its trailing white space. */
export interface Chunk {
  /** From 0. */
  n: number;
  /** UTF-16 offset of `text` in the whole. */
  start: number;
  /** The white space before it. */
  lead: string;
  /** Begins and ends with no white space; at most MAX_CHARACTERS. */
  text: string;
}

const TARGET_CHARACTERS = 900;
export const MAX_CHARACTERS = 1_350;
/** Before so many no place to end is looked for. */
const MIN_CHARACTERS = 300;
/** A shorter last chunk joins the one before if there is room. */
const CRUMB_CHARACTERS = 150;
const HEADING_CHARACTERS = 120;

const PARAGRAPH_END = /(?=\n[^\S\n]*\n)/g;
// Before white space that no small letter follows; wide marks end a sentence anyway.
const SENTENCE_END = new RegExp(
  String.raw`(?:(?<!${SHORT_FORM})\.|[!?…])[.!?…]{0,3}["'”’»)\]]{0,4}(?=\s+[^\s\p{Ll}])|[。！？；．｡؟।۔]+[”’"'」』）】》]*`,
  'gu',
);
const LINE_END = /(?=\n)/g;
const WORD_END = /(?=\s)|(?<=[，、：])/g;
const NO_HEADING_END = /[.!…。！；，,;”"»」』)）]$/;
const NON_SPACE = /\S/g;
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Cuts a text into chunks while it comes. They depend on the text alone, not on the pieces it comes in: where a chunk
 * ends is decided once more text than the longest chunk is there, or all of it.
 */
export class Chunker {
  /** Of the chunks so far. */
  count = 0;
  /** UTF-16 code units up to the end of the last chunk. */
  length = 0;
  /** The text after the last chunk; it ends with no white space. */
  private rest = '';
  /** White space that came after it, and is the end of the text if nothing else comes. */
  private space: string[] = [];

  *push(piece: string): Generator<Chunk> {
    const text = piece.trimEnd();
    const space = piece.slice(text.length);
    if (text !== '') {
      this.rest += this.space.join('') + text;
      this.space = [];
      yield* this.cut(MAX_CHARACTERS);
    }
    if (space !== '') this.space.push(space);
  }

  /** The last chunks; nothing may be pushed after. */
  *end(): Generator<Chunk> {
    yield* this.cut(0);
  }

  /** Chunks for as long as there are more than so many characters. */
  private *cut(kept: number): Generator<Chunk> {
    let at = 0;
    for (;;) {
      const start = firstNonSpace(this.rest, at);
      if (start < 0 || this.rest.length - start <= kept) break;
      const end = endOf(this.rest, start);
      const lead = this.rest.slice(at, start);
      const text = this.rest.slice(start, end);
      yield { n: this.count, start: this.length + lead.length, lead, text };
      this.count += 1;
      this.length += lead.length + text.length;
      at = end;
    }
    this.rest = this.rest.slice(at);
  }
}

function firstNonSpace(text: string, from: number): number {
  NON_SPACE.lastIndex = from;
  return NON_SPACE.exec(text)?.index ?? -1;
}

/** Where the chunk ends that begins at `start`, a character that is no white space. */
function endOf(text: string, start: number): number {
  const left = text.length - start;
  if (left <= TARGET_CHARACTERS) return text.length;
  // One character more than it may hold: what follows an end is part of what makes it one.
  const window = text.slice(start, start + MAX_CHARACTERS + 1);
  const end = start + bestEnd(window);
  const isCrumbLeft = text.length - firstNonSpace(text, end) < CRUMB_CHARACTERS;
  if (isCrumbLeft && left <= MAX_CHARACTERS) return text.length;
  return end;
}

/** The end of a paragraph, better not of one that announces the next; of a sentence; of a line; of a word; of a character. */
function bestEnd(window: string): number {
  const paragraphs = endsBy(PARAGRAPH_END, window);
  // With the text a paragraph ends, too: one that is not much too long stays whole.
  if (window.length <= MAX_CHARACTERS) paragraphs.push(window.length);
  const end =
    choice(paragraphs.filter((paragraph) => !endsWithHeading(window, paragraph))) ??
    choice(endsBy(SENTENCE_END, window).filter((sentence) => !endsWithQuestion(window, sentence))) ??
    choice(paragraphs) ??
    choice(endsBy(LINE_END, window)) ??
    choice(endsBy(WORD_END, window)) ??
    endOfCharacter(window);
  return window.slice(0, end).trimEnd().length;
}

/** The last that is within the target, otherwise the first beyond it. */
function choice(ends: number[]): number | undefined {
  return ends.findLast((end) => end <= TARGET_CHARACTERS) ?? ends[0];
}

/** Those where a chunk may end. */
function endsBy(pattern: RegExp, window: string): number[] {
  const ends: number[] = [];
  for (const { index, 0: match } of window.matchAll(pattern)) {
    const end = index + match.length;
    if (end >= MIN_CHARACTERS && end <= MAX_CHARACTERS) ends.push(end);
  }
  return ends;
}

/** Or with a question, or what a list is announced by: a line like a heading's. */
function endsWithHeading(window: string, end: number): boolean {
  const at = window.lastIndexOf('\n', end - 1) + 1;
  const line = window.slice(at, end).trimEnd();
  if (line.length > HEADING_CHARACTERS || NO_HEADING_END.test(line)) return false;
  const above = window.lastIndexOf('\n', at - 2) + 1;
  return at === 0 || window.slice(above, at).trim() === '';
}

/** That its line ends with, too: its answer is in the next one. */
const endsWithQuestion = (window: string, end: number): boolean =>
  '?？'.includes(window[end - 1]!) && window[end] === '\n';

/** No pair of surrogates is cut in two, nor what is seen as one character. */
function endOfCharacter(window: string): number {
  const end = GRAPHEMES.segment(window).containing(TARGET_CHARACTERS)!.index;
  if (end >= MIN_CHARACTERS) return end;
  return /[\udc00-\udfff]/.test(window[TARGET_CHARACTERS]!) ? TARGET_CHARACTERS - 1 : TARGET_CHARACTERS;
}
