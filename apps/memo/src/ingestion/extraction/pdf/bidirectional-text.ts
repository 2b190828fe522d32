/** Letters and marks of right-to-left scripts. Their digits are excluded, because digits run left to right. */
const LETTERS = '\\u0590-\\u065f\\u066d-\\u06ef\\u06fa-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';
const LATIN = `[^\\P{L}${LETTERS}]`;
const NOT_LATIN = `[\\P{L}${LETTERS}]`;
const SYMBOL = '[$%#°€£¥₪‰]?';
/** In Hebrew text a hyphen joins numbers; in Arabic text it separates them (rules W2 to W5 of UAX 9). */
const HEBREW_NUMBER = `${SYMBOL}\\p{Nd}+(?:[-+.,:/]\\p{Nd}+)*${SYMBOL}`;
const ARABIC_NUMBER = '\\p{Nd}+(?:[.,:/\\u066b\\u066c]\\p{Nd}+)*';
/**
 * A left-to-right run: up to the last letter or digit before the other script, including a closing bracket that was
 * opened after a letter.
 */
const LATIN_RUN =
  `\\p{Nd}*${LATIN}(?:[^${LETTERS}]*(?:${LATIN}|\\p{Nd}))?` +
  `(?:(?<=${LATIN}[^${LETTERS}()]*\\([^${LETTERS}()]*)\\))?`;
const HEBREW_UNITS = new RegExp(`${LATIN_RUN}|${HEBREW_NUMBER}|.`, 'gsu');
const ARABIC_UNITS = new RegExp(`${LATIN_RUN}|${ARABIC_NUMBER}|.`, 'gsu');
const IN_BRACKET = `(?:(?![()])${NOT_LATIN})*`;
const RUN = new RegExp(
  `(?:\\((?=${IN_BRACKET}\\)${IN_BRACKET}[${LETTERS}]))?[${LETTERS}](?:${NOT_LATIN}*[${LETTERS}])?`,
  'gu',
);
const ARABIC_LETTER = /[\u0600-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;
const LETTER = new RegExp(`[${LETTERS}]`);
const ALL_LETTERS = new RegExp(`[${LETTERS}]`, 'g');
const ALL_LATIN = new RegExp(LATIN, 'gu');
const MARKS_AFTER_SPACE = /(?<!\s)(\s+)(\p{M}+)/gu;
const PAIRS = '()[]{}<>«»‹›';

export function isRightToLeft(text: string): boolean {
  return LETTER.test(text);
}

/** The number of right-to-left letters minus the number of left-to-right letters. */
export function rightToLeftSurplus(text: string): number {
  return (text.match(ALL_LETTERS)?.length ?? 0) - (text.match(ALL_LATIN)?.length ?? 0);
}

/**
 * Restores the visual order, left to right, of a text item of pdf.js. pdf.js reverses each item on its own, but keeps
 * the items in the order of the page.
 */
export function toVisualOrder(text: string, dir: string): string {
  return dir === 'rtl'
    ? unitsOf(text).reverse().join('')
    : text.replace(RUN, (run) => toVisualOrder(run, 'rtl'));
}

/** Converts text from visual order, left to right, to reading order. */
export function toLogicalOrder(text: string, dir: 'ltr' | 'rtl'): string {
  if (dir === 'ltr') return text.replace(RUN, (run) => toLogicalOrder(run, 'rtl'));
  return unitsOf(text).map(mirrored).reverse().join('').replace(MARKS_AFTER_SPACE, '$2$1');
}

function unitsOf(text: string): string[] {
  return text.match(ARABIC_LETTER.test(text) ? ARABIC_UNITS : HEBREW_UNITS) ?? [];
}

/** A page contains the bracket that is visible: an opening bracket of right-to-left text looks like a closing one. */
function mirrored(unit: string): string {
  const at = unit.length === 1 ? PAIRS.indexOf(unit) : -1;
  return at < 0 ? unit : PAIRS.charAt(at ^ 1);
}
