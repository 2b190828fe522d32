/* eslint-disable no-control-regex */

// PostgreSQL rejects U+0000. The other control characters, soft hyphens, zero-width spaces, byte order marks,
// direction overrides and tag characters are invisible: they split words for search and can hide instructions. The
// joiners U+200C and U+200D stay, because Persian, Indic scripts and emoji need them.
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;
// Normalization takes quadratic time for long runs of combining marks and cannot be interrupted. Unicode's
// stream-safe format allows 30 marks.
const STACKED_MARKS = /(\p{M}{30})\p{M}+/gu;
const MAY_CHANGE_IN_NFC = /[\u0300-\uffff]/;
const LINE_ENDS = /\r\n?|[\v\u2028]/g;
const PAGE_OR_PARAGRAPH_ENDS = /[\f\u2029]/g;

/**
 * Returns text that PostgreSQL stores unchanged: well-formed UTF-16 in NFC, without control characters other than tab
 * and newline.
 */
export function normalizeText(text: string): string {
  const visible = text
    .replace(LINE_ENDS, '\n')
    .replace(PAGE_OR_PARAGRAPH_ENDS, '\n\n')
    .replace(INVISIBLE, '')
    .toWellFormed();
  return MAY_CHANGE_IN_NFC.test(visible) ? visible.replace(STACKED_MARKS, '$1').normalize('NFC') : visible;
}
