const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
/** They turn the text around them about, so that it reads as something that it is not. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS = /[\p{Cc}\p{Surrogate}]/gu;
const REPLACEMENT = '\ufffd';

/**
 * A text of whatever origin as one line in which everything that is there can be seen, and nothing acts on what is
 * around it: breaks become spaces, other control characters a sign in their place.
 */
export function legible(text: string): string {
  return text
    .normalize('NFC')
    .replace(LINE_BREAKS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(CONTROLS, REPLACEMENT);
}
