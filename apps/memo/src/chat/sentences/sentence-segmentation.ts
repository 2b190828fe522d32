import { ABBREVIATION } from '../../retrieval/analysis/abbreviations';

/** A part of a text in UTF-16 offsets; `end` is exclusive. */
export interface Slice {
  start: number;
  end: number;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
const BLANK_LINES = /\n\s*\n/g;
export const LINE_BREAK = /[\n\r\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');
/**
 * Decides whether a line break is a wrap. Wrapped text fills its lines. A line break is intended if the line, with the
 * next word added, would still leave this share of the longest line free. A smaller share fails for PDFs, whose lines
 * have equal widths but different numbers of characters.
 */
const MIN_FREE_SHARE = 0.25;
const FIRST_WORD = /^\s*(?:\p{Script=Han}|\S+)/u;
/** Includes the letters of contract clauses: `(a)`, `iv)`. */
export const LIST_ITEM =
  /^\s*(?:[-*•‣▪●○·–—]\s|[(（]?(?:\d{1,3}(?:[.)）]\s|、)|(?:\p{L}|[ivx]{2,4})[)）]\s))/u;
export const TABLE_ROW = /\s\|\s/;
/** Where the segmenter ends a sentence too early: after the number of an item, or after an abbreviation. */
const NOT_A_SENTENCE_END = new RegExp(String.raw`^(?:\d{1,3}|.*${ABBREVIATION})\.$`, 'su');

/**
 * The sentences of a text in order, without the white space around them. Wrapped lines are joined; each list item and
 * each table row is a sentence of its own.
 */
export function splitSentences(text: string): Slice[] {
  const sentences: Slice[] = [];
  let from = 0;
  for (const { index, 0: blank } of [...text.matchAll(BLANK_LINES), { index: text.length, 0: '' }]) {
    for (const stretch of unwrapLines(text, { start: from, end: index })) {
      for (const slice of segmentSentences(text, stretch)) {
        const sentence = trimSlice(text, slice);
        if (sentence.start < sentence.end) sentences.push(sentence);
      }
    }
    from = index + blank.length;
  }
  return sentences;
}

export function trimSlice(text: string, { start, end }: Slice): Slice {
  const inner = text.slice(start, end);
  const leading = inner.length - inner.trimStart().length;
  if (leading === inner.length) return { start, end: start };
  return { start: start + leading, end: start + inner.trimEnd().length };
}

/** Collapses all white space, so that the text is on one line. */
export const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The lines of a paragraph, with wrapped lines joined. */
function unwrapLines(text: string, { start, end }: Slice): Slice[] {
  const lines = text.slice(start, end).split(LINE_BREAK);
  const longest = Math.max(...lines.map((line) => line.trim().length));
  const lineGroups: Slice[] = [];
  let from = start;
  let at = start;
  lines.forEach((line, index) => {
    const next = lines[index + 1];
    if (next === undefined || endsLineGroup(line, next, longest)) {
      lineGroups.push({ start: from, end: at + line.length });
      from = at + line.length;
    }
    at += line.length + 1;
  });
  return lineGroups;
}

function endsLineGroup(line: string, next: string, longest: number): boolean {
  if (LIST_ITEM.test(next) || TABLE_ROW.test(line) || TABLE_ROW.test(next)) return true;
  const word = FIRST_WORD.exec(next)?.[0].trim() ?? '';
  return line.trim().length + 1 + word.length <= (1 - MIN_FREE_SHARE) * longest;
}

function segmentSentences(text: string, { start, end }: Slice): Slice[] {
  // Replaces one character by one, so that offsets stay valid.
  const line = text.slice(start, end).replace(LINE_BREAKS, ' ');
  const segments: Slice[] = [];
  let from = start;
  for (const { segment, index } of segmenter.segment(line)) {
    const to = start + index + segment.length;
    if (to < end && NOT_A_SENTENCE_END.test(line.slice(from - start, to - start).trim())) continue;
    segments.push({ start: from, end: to });
    from = to;
  }
  return segments;
}
