/** Letters and marks of Hebrew, Arabic and the scripts beside them, without their digits: those run left to right. */
const LETTERS = '\\u0590-\\u065f\\u066d-\\u06ef\\u06fa-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';
const LATIN = `[^\\P{L}${LETTERS}]`;
const NOT_LATIN = `[\\P{L}${LETTERS}]`;
const SYMBOL = '[$%#°€£¥₪‰]?';
/** A hyphen joins numbers to one in Hebrew text, and divides them in Arabic text (rules W2 to W5 of UAX 9). */
const HEBREW_NUMBER = `${SYMBOL}\\p{Nd}+(?:[-+.,:/]\\p{Nd}+)*${SYMBOL}`;
const ARABIC_NUMBER = '\\p{Nd}+(?:[.,:/\\u066b\\u066c]\\p{Nd}+)*';
/** Up to the last letter or digit before the other script, and the end of a bracket that was opened after a letter. */
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

/** How many more of its letters run to the left than to the right. */
export function leaning(text: string): number {
  return (text.match(ALL_LETTERS)?.length ?? 0) - (text.match(ALL_LATIN)?.length ?? 0);
}

/**
 * What pdf.js hands out, as it is drawn from left to right: it turns round each of its items by itself, though
 * their order is that of the page.
 */
export function drawn(text: string, dir: string): string {
  return dir === 'rtl' ? unitsOf(text).reverse().join('') : text.replace(RUN, (run) => drawn(run, 'rtl'));
}

/** What is drawn from left to right, in the order in which it is read. */
export function read(text: string, dir: 'ltr' | 'rtl'): string {
  if (dir === 'ltr') return text.replace(RUN, (run) => read(run, 'rtl'));
  return unitsOf(text).map(mirrored).reverse().join('').replace(MARKS_AFTER_SPACE, '$2$1');
}

function unitsOf(text: string): string[] {
  return text.match(ARABIC_LETTER.test(text) ? ARABIC_UNITS : HEBREW_UNITS) ?? [];
}

/** Pages hold the bracket that is seen: what opens on the right looks like one that closes. */
function mirrored(unit: string): string {
  const at = unit.length === 1 ? PAIRS.indexOf(unit) : -1;
  return at < 0 ? unit : PAIRS.charAt(at ^ 1);
}
