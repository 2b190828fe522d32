/** A part of a text: UTF-16 offsets, the end excluded. */
export interface Slice {
  start: number;
  end: number;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
const BLANK_LINES = /\n\s*\n/g;

/** The sentences of a text in its order, without the white space around them. Lines that are wrapped go on. */
export function sentencesOf(text: string): Slice[] {
  const sentences: Slice[] = [];
  let from = 0;
  for (const { index, 0: blank } of [...text.matchAll(BLANK_LINES), { index: text.length, 0: '' }]) {
    // One character for one, so that offsets stay.
    const paragraph = text.slice(from, index).replace(/[\n\r\u2028\u2029]/g, ' ');
    for (const { segment, index: start } of segmenter.segment(paragraph)) {
      const sentence = trimmed(text, { start: from + start, end: from + start + segment.length });
      if (sentence.start < sentence.end) sentences.push(sentence);
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
