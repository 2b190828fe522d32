import { splitSentences } from '../sentences/sentence-segmentation';

/**
 * How much text before a marker is searched for the sentence. Half cuts long sentences; twice doubles the work for
 * answers with many markers.
 */
const MAX_CHARACTERS_BEFORE_MARKER = 600;
const MARKERS = /\[\d{1,3}\]/g;

/** The sentence that contains the first marker of a passage, up to the marker; empty if the passage is not cited. */
export function citingSentence(answer: string, number: number): string {
  const marker = answer.indexOf(`[${number}]`);
  if (marker < 0) return '';
  const before = answer
    .slice(Math.max(0, marker - MAX_CHARACTERS_BEFORE_MARKER), marker)
    .replace(MARKERS, '');
  const last = splitSentences(before).at(-1);
  return last ? before.slice(last.start, last.end) : '';
}
