import { ABBREVIATION } from '../../retrieval/analysis/abbreviations';

/** A part of a text. The concatenated leads and texts of all chunks are the text without its trailing white space. */
export interface Chunk {
  /** Index in the text, from 0. */
  n: number;
  /** UTF-16 offset of `text` in the whole text. */
  startAt: number;
  /** The white space before `text`. */
  lead: string;
  /** Starts and ends without white space; at most MAX_CHUNK_CHARACTERS. */
  text: string;
}

/**
 * Lengths in UTF-16 code units. A chunk is a few paragraphs. At half an answer is often divided between chunks; at
 * twice a passage contains several subjects and costs twice the tokens of a prompt.
 */
const TARGET_CHUNK_CHARACTERS = 900;
/** A chunk may exceed the target by half, so that it ends at a better position. */
export const MAX_CHUNK_CHARACTERS = 1_350;
/** A chunk that is not the last one has at least this length. */
const MIN_CHUNK_CHARACTERS = 300;
/** A shorter last chunk is joined with the previous one if it fits. */
const MIN_LAST_CHUNK_CHARACTERS = 150;
/** Longer lines are not headings. Half excludes long titles of sections; twice includes short paragraphs. */
const MAX_HEADING_CHARACTERS = 120;

const PARAGRAPH_END = /(?=\n[^\S\n]*\n)/g;
// An ASCII mark ends a sentence before white space that no lower-case letter follows. A full-width mark always ends
// one.
const SENTENCE_END = new RegExp(
  String.raw`(?:(?<!${ABBREVIATION})\.|[!?…])[.!?…]{0,3}["'”’»)\]]{0,4}(?=\s+[^\s\p{Ll}])|[。！？；．｡؟।۔]+[”’"'」』）】》]*`,
  'gu',
);
const LINE_END = /(?=\n)/g;
const WORD_END = /(?=\s)|(?<=[，、：])/g;
const NO_HEADING_END = /[.!…。！；，,;”"»」』)）]$/;
const NON_SPACE = /\S/g;
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Divides a text into chunks while it arrives. The chunks depend only on the text, not on its pieces, because a chunk
 * is cut only when more text than the longest chunk is available, or the text has ended.
 */
export class Chunker {
  /** Number of chunks so far. */
  count = 0;
  /** UTF-16 code units up to the end of the last chunk. */
  length = 0;
  /** The text after the last chunk, without trailing white space. */
  private rest = '';
  /** White space after `rest`. At the end of the text it is dropped. */
  private space: string[] = [];

  *push(piece: string): Generator<Chunk> {
    const text = piece.trimEnd();
    const space = piece.slice(text.length);
    if (text !== '') {
      this.rest += this.space.join('') + text;
      this.space = [];
      yield* this.cut(MAX_CHUNK_CHARACTERS);
    }
    if (space !== '') this.space.push(space);
  }

  /** Returns the last chunks. Nothing may be pushed afterwards. */
  *end(): Generator<Chunk> {
    yield* this.cut(0);
  }

  /** Cuts chunks while more than `kept` characters remain. */
  private *cut(kept: number): Generator<Chunk> {
    let at = 0;
    for (;;) {
      const start = firstNonSpace(this.rest, at);
      if (start < 0 || this.rest.length - start <= kept) break;
      const end = chunkEnd(this.rest, start);
      const lead = this.rest.slice(at, start);
      const text = this.rest.slice(start, end);
      yield { n: this.count, startAt: this.length + lead.length, lead, text };
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

/** The end of the chunk that starts at `start`, which is not white space. */
function chunkEnd(text: string, start: number): number {
  const left = text.length - start;
  if (left <= TARGET_CHUNK_CHARACTERS) return text.length;
  // One more character than a chunk may have, because a break is recognized by what follows it.
  const window = text.slice(start, start + MAX_CHUNK_CHARACTERS + 1);
  const end = start + bestBreak(window);
  const isRestTooShort = text.length - firstNonSpace(text, end) < MIN_LAST_CHUNK_CHARACTERS;
  if (isRestTooShort && left <= MAX_CHUNK_CHARACTERS) return text.length;
  return end;
}

/**
 * In order of preference: the end of a paragraph that is not a heading, of a sentence that is not a question, of any
 * paragraph, of a line, of a word, of a character.
 */
function bestBreak(window: string): number {
  const paragraphs = breaksMatching(PARAGRAPH_END, window);
  // The end of the text also ends a paragraph. A chunk slightly above the target length stays whole.
  if (window.length <= MAX_CHUNK_CHARACTERS) paragraphs.push(window.length);
  const end =
    preferredBreak(paragraphs.filter((paragraph) => !endsWithHeading(window, paragraph))) ??
    preferredBreak(
      breaksMatching(SENTENCE_END, window).filter((sentence) => !endsWithQuestion(window, sentence)),
    ) ??
    preferredBreak(paragraphs) ??
    preferredBreak(breaksMatching(LINE_END, window)) ??
    preferredBreak(breaksMatching(WORD_END, window)) ??
    characterBoundary(window);
  return window.slice(0, end).trimEnd().length;
}

/** The last break within the target length, otherwise the first one beyond it. */
function preferredBreak(ends: number[]): number | undefined {
  return ends.findLast((end) => end <= TARGET_CHUNK_CHARACTERS) ?? ends[0];
}

/** The breaks at which a chunk may end. */
function breaksMatching(pattern: RegExp, window: string): number[] {
  const ends: number[] = [];
  for (const { index, 0: match } of window.matchAll(pattern)) {
    const end = index + match.length;
    if (end >= MIN_CHUNK_CHARACTERS && end <= MAX_CHUNK_CHARACTERS) ends.push(end);
  }
  return ends;
}

/**
 * Whether the chunk would end with a line that belongs to the text after it: a heading, a question, or the lead-in of
 * a list.
 */
function endsWithHeading(window: string, end: number): boolean {
  const at = window.lastIndexOf('\n', end - 1) + 1;
  const line = window.slice(at, end).trimEnd();
  if (line.length > MAX_HEADING_CHARACTERS || NO_HEADING_END.test(line)) return false;
  const above = window.lastIndexOf('\n', at - 2) + 1;
  return at === 0 || window.slice(above, at).trim() === '';
}

/** A question at the end of a line; the next line answers it. */
const endsWithQuestion = (window: string, end: number): boolean =>
  '?？'.includes(window[end - 1]!) && window[end] === '\n';

/** Cuts no surrogate pair and no grapheme. */
function characterBoundary(window: string): number {
  const end = GRAPHEMES.segment(window).containing(TARGET_CHUNK_CHARACTERS)!.index;
  if (end >= MIN_CHUNK_CHARACTERS) return end;
  return /[\udc00-\udfff]/.test(window[TARGET_CHUNK_CHARACTERS]!)
    ? TARGET_CHUNK_CHARACTERS - 1
    : TARGET_CHUNK_CHARACTERS;
}
