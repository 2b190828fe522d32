/* eslint-disable no-control-regex */

/** Sequences with which programs colour the output of a terminal and choose its character set (ECMA-48, ISO 2022). */
const TERMINAL_SEQUENCES = /\u001b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|[ -/]{1,3}[0-~])/g;
/** The longest beginning of such a sequence, or a CR whose LF may follow. */
const UNFINISHED = /(?:\r|\u001b[ -?[]{0,46})$/;
const LINE_ENDS = /\r\n?|[\v\f\u001c\u001d\u001e\u0085\u2028]/g;
const PARAGRAPH_ENDS = /[\f\u001c\u2029]/g;
/** U+0000 is refused by PostgreSQL; no reader shows the others. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f]+/g;
/**
 * Soft hyphens, zero-width spaces, byte order marks, direction overrides and tag characters split words for search and can
 * hide instructions. The joiners U+200C and U+200D stay, because Persian, Indic scripts and emoji need them.
 */
const INVISIBLE =
  /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;
/**
 * Normalization takes quadratic time for long runs of combining marks and cannot be interrupted. Unicode's stream-safe
 * format allows 30 marks.
 */
const STACKED_MARKS = /(\p{M}{30})\p{M}+/gu;
const MAY_CHANGE_IN_NFC = /[\u0300-\uffff]/;

/** The part of a text that can be passed on before the rest of it is known. */
export function finishedPart(text: string): string {
  return text.slice(0, UNFINISHED.exec(text)?.index ?? text.length);
}

/** Returns plain text as it was sent, without control characters; everything that ends a line becomes LF. */
export function verbatimText(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCES, '')
    .replace(LINE_ENDS, '\n')
    .replace(/\u001f/g, '\t')
    .replace(CONTROLS, '')
    .toWellFormed();
}

/** Whether any character of a text is shown, and is no white space. */
export const isShown = (text: string): boolean => normalizeText(text).trim() !== '';

/**
 * Returns text that PostgreSQL stores unchanged: well-formed UTF-16 in NFC, without control characters other than tab
 * and newline.
 */
export function normalizeText(text: string): string {
  const visible = verbatimText(text.replace(PARAGRAPH_ENDS, '\n\n')).replace(INVISIBLE, '');
  return MAY_CHANGE_IN_NFC.test(visible) ? visible.replace(STACKED_MARKS, '$1').normalize('NFC') : visible;
}
