import { sentencesOf } from './sentences';

/** Of what stands before a marker so much is looked at: a long answer may have many. */
const CHARACTERS = 600;
const MARKERS = /\[\d{1,3}\]/g;

/** The sentence of an answer that first cites a passage, up to its marker; empty when none does. */
export function saidBefore(answer: string, number: number): string {
  const marker = answer.indexOf(`[${number}]`);
  if (marker < 0) return '';
  const before = answer.slice(Math.max(0, marker - CHARACTERS), marker).replace(MARKERS, '');
  const last = sentencesOf(before).at(-1);
  return last ? before.slice(last.start, last.end) : '';
}
