import { SHORT_FORM } from '../analysis/short-forms';

/** A part of a text: UTF-16 offsets, the end excluded. */
export interface Slice {
  start: number;
  end: number;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
const BLANK_LINES = /\n\s*\n/g;
export const LINE_BREAK = /[\n\r\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');
/**
 * Who wraps lines goes on as long as there is room: a line whose next word would have left this share of the longest line
 * free was ended on purpose. Not less, since a PDF's lines are as wide on the page, not as long.
 */
const FREE_SHARE = 0.25;
const FIRST_WORD = /^\s*(?:\p{Script=Han}|\S+)/u;
/** Lettered ones as well, that contracts have: `(a)`, `iv)`. */
export const LIST_ITEM =
  /^\s*(?:[-*•‣▪●○·–—]\s|[(（]?(?:\d{1,3}(?:[.)）]\s|、)|(?:\p{L}|[ivx]{2,4})[)）]\s))/u;
export const TABLE_ROW = /\s\|\s/;
/** What the segmenter takes for the end of a sentence and is none: the number of an item, or a short form. */
const NO_END = new RegExp(String.raw`^(?:\d{1,3}|.*${SHORT_FORM})\.$`, 'su');

/**
 * The sentences of a text in its order, without the white space around them. Lines that are wrapped go on; each item of a
 * list and each row of a table is one of its own.
 */
export function sentencesOf(text: string): Slice[] {
  const sentences: Slice[] = [];
  let from = 0;
  for (const { index, 0: blank } of [...text.matchAll(BLANK_LINES), { index: text.length, 0: '' }]) {
    for (const stretch of stretchesOf(text, { start: from, end: index })) {
      for (const slice of segmentsOf(text, stretch)) {
        const sentence = trimmed(text, slice);
        if (sentence.start < sentence.end) sentences.push(sentence);
      }
    }
    from = index + blank.length;
  }
  return sentences;
}

export function trimmed(text: string, { start, end }: Slice): Slice {
  const inner = text.slice(start, end);
  const leading = inner.length - inner.trimStart().length;
  if (leading === inner.length) return { start, end: start };
  return { start: start + leading, end: start + inner.trimEnd().length };
}

/** In one line, as quoted text is shown. */
export const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The lines of a paragraph, those together that one was wrapped into. */
function stretchesOf(text: string, { start, end }: Slice): Slice[] {
  const lines = text.slice(start, end).split(LINE_BREAK);
  const longest = Math.max(...lines.map((line) => line.trim().length));
  const stretches: Slice[] = [];
  let from = start;
  let at = start;
  lines.forEach((line, index) => {
    const next = lines[index + 1];
    if (next === undefined || isApart(line, next, longest)) {
      stretches.push({ start: from, end: at + line.length });
      from = at + line.length;
    }
    at += line.length + 1;
  });
  return stretches;
}

function isApart(line: string, next: string, longest: number): boolean {
  if (LIST_ITEM.test(next) || TABLE_ROW.test(line) || TABLE_ROW.test(next)) return true;
  const word = FIRST_WORD.exec(next)?.[0].trim() ?? '';
  return line.trim().length + 1 + word.length <= (1 - FREE_SHARE) * longest;
}

function segmentsOf(text: string, { start, end }: Slice): Slice[] {
  // One character for one, so that offsets stay.
  const line = text.slice(start, end).replace(LINE_BREAKS, ' ');
  const segments: Slice[] = [];
  let from = start;
  for (const { segment, index } of segmenter.segment(line)) {
    const to = start + index + segment.length;
    if (to < end && NO_END.test(line.slice(from - start, to - start).trim())) continue;
    segments.push({ start: from, end: to });
    from = to;
  }
  return segments;
}
