const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
/** Bidirectional controls can reorder the text around them and so falsify it. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS = /[\p{Cc}\p{Surrogate}]/gu;
const REPLACEMENT = '\ufffd';

/**
 * Makes untrusted text one visible line: line breaks become spaces, direction marks are dropped, and other control
 * characters become U+FFFD.
 */
export function toPrintableLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(LINE_BREAKS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(CONTROLS, REPLACEMENT);
}
