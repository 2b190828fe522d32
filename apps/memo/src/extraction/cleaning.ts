/* eslint-disable no-control-regex */

// PostgreSQL refuses U+0000 in text. The other controls, soft hyphens, zero-width spaces, byte order marks,
// direction overrides and tag characters are invisible: they break words for search and hide instructions.
// The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]+/gu;
// Normalisation takes time that grows with the square of such a run, and cannot be interrupted.
const HEAPED_MARKS = /(\p{M}{30})\p{M}+/gu;
const MAY_CHANGE_IN_NFC = /[\u0300-\uffff]/;
const LINE_ENDS = /\r\n?|[\v\u2028]/g;
const PAGE_OR_PARAGRAPH_ENDS = /[\f\u2029]/g;

/** Text that PostgreSQL keeps as it is: well-formed UTF-16, no controls but tab and newline. */
export function clean(text: string): string {
  const visible = text
    .replace(LINE_ENDS, '\n')
    .replace(PAGE_OR_PARAGRAPH_ENDS, '\n\n')
    .replace(INVISIBLE, '')
    .toWellFormed();
  return MAY_CHANGE_IN_NFC.test(visible) ? visible.replace(HEAPED_MARKS, '$1').normalize('NFC') : visible;
}
