import { SHORT_FORM } from '../analysis/short-forms';

/** A part of a text: UTF-16 offsets, the end excluded. */
export interface Slice {
  start: number;
  end: number;
}

/** A sentence that is no heading, without the mark of a list's item. */
export interface TellingSentence extends Slice {
  /** The heading right above it; empty when there is none. */
  heading: string;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
const BLANK_LINES = /\n\s*\n/g;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');
/**
 * Who wraps lines goes on as long as there is room: a line whose next word would have left this share of the longest line
 * free was ended on purpose. Not less, since a PDF's lines are as wide on the page, not as long.
 */
const FREE_SHARE = 0.25;
const FIRST_WORD = /^\s*(?:\p{Script=Han}|\S+)/u;
const LIST_ITEM = /^\s*(?:[-*•‣▪●○·–—]\s|[(（]?\d{1,3}(?:[.)）]\s|、))/;
const TABLE_ROW = /\s\|\s/;
/** What the segmenter takes for the end of a sentence and is none: the number of an item, or a short form. */
const NO_END = new RegExp(String.raw`^(?:\d{1,3}|.*${SHORT_FORM})\.$`, 'su');
const MOST_HEADING_CHARACTERS = 120;
const WORDS = /[\p{L}\p{N}]/u;
const QUESTION = /[?？]$/;
/** A line with a colon in it may well tell something: `Password: none`. But not `Q: What now?`. */
const NO_HEADING = /[:：]|[.!…。！;；,，]$/;

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

/** Those that are no headings. A heading is of one line, like the questions of a FAQ, above text that is none. */
export function tellingSentencesOf(text: string): TellingSentence[] {
  const sentences = sentencesOf(text);
  const looks = sentences.map((sentence) => looksLikeHeading(text, sentence));
  const isHeading = (index: number) => {
    const below = sentences[index + 1];
    if (!looks[index] || looks[index + 1] || !below) return false;
    return WORDS.test(text.slice(below.start, below.end));
  };
  return sentences.flatMap((sentence, index) => {
    if (isHeading(index)) return [];
    const above = isHeading(index - 1) ? sentences[index - 1] : undefined;
    return [{ ...withoutMark(text, sentence), heading: above ? text.slice(above.start, above.end) : '' }];
  });
}

function withoutMark(text: string, { start, end }: Slice): Slice {
  const mark = LIST_ITEM.exec(text.slice(start, end))?.[0] ?? '';
  const told = trimmed(text, { start: start + mark.length, end });
  return told.start < told.end ? told : { start, end };
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

function looksLikeHeading(text: string, { start, end }: Slice): boolean {
  const line = text.slice(start, end);
  if (line.length > MOST_HEADING_CHARACTERS || LINE_BREAK.test(line)) return false;
  if (NO_HEADING.test(line) && !QUESTION.test(line)) return false;
  if (LIST_ITEM.test(line) || TABLE_ROW.test(line)) return false;
  const lineEnd = text.indexOf('\n', end);
  const around = text.slice(text.lastIndexOf('\n', start - 1) + 1, start) + text.slice(end, lineEnd);
  return lineEnd >= 0 && around.trim() === '';
}
