import { characterClass, HAN } from './character-class';
import { foldedWord, searchForm, withAsciiSigns } from './search-form';
import { addFurtherTerms, stemOf } from './stemming';
import { tokenize, tokenizeApart } from './tokenizer';

interface CompoundPattern {
  /** Where the case changes in a word, or letters and digits meet. */
  joint: RegExp;
  character: RegExp;
  part: RegExp;
}
const ASCII_COMPOUND: CompoundPattern = {
  joint: /[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/g,
  character: /[A-Za-z\d]/,
  part: /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g,
};
/** The same for all scripts with capitals. It takes longer. */
const OTHER_COMPOUND: CompoundPattern = {
  joint: /\p{Ll}\p{Lu}|[\p{Ll}\p{Lu}]\d|\d[\p{Ll}\p{Lu}]/gu,
  character: /[\p{Ll}\p{Lu}\d]/u,
  part: /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+/gu,
};
/** Latin, Greek, Cyrillic and Armenian letters beyond ASCII. */
const OTHER_LETTER = /[\u00aa-\u024f\u0370-\u058f\u1e00-\u1fff]/;
const MAX_COMPOUND_CHARACTERS = 64;
/** Words with signs between them that may be left out: `E-4711`, `max_retry_count`, `e-mail`. */
const JOINT = /[-_‐‑]/g;
const OF_JOINED_WORD = /[-_‐‑\p{L}\p{N}]/u;
const JOINED = /^[\p{L}\p{N}]+(?:[-_‐‑][\p{L}\p{N}]+)+$/u;
/** Names with an apostrophe that may be left out: `O’Brien`, `D'Angelo`. */
const MAY_BE_NAME = /['’]\p{Lu}/u;
const NAME = /(?<![\p{L}\p{N}])(\p{L}{1,2})['’](\p{Lu}[\p{L}\p{M}]{1,30})/gu;
/** A longer chain of words is no word. */
const MAX_JOINED_CHARACTERS = 40;
/** Codes whose parts are written apart: `ISO 9001`, `E.4711`, `DIN/476`. */
const CODE = /(?<![\p{L}\p{N}])(\p{Lu}{1,5})[ \u00a0./](\d{2,8})(?![\p{L}\p{N}]|[.,]\d)/gu;
const MAY_BE_CODE = /[A-Z\u00c0-\u00de\u0391-\u03a9\u0400-\u042f][ \u00a0./]\d{2}/;
/** A word behind the escape of a line end in the strings of source code. */
const AFTER_ESCAPE = /\\[nrt](\p{Ll}[\p{L}\p{M}]+)/gu;
/** Thousands of a number: `1,250,000`, `1.250.000`, `1'250'000`, `1 250 000` and `12,50,000`. Decimals may follow. */
const groupedBy = (signs: string): RegExp =>
  new RegExp(
    String.raw`(?<![\p{N}.,'’])(?:\d{1,3}([${signs}])\d{3}(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})(?!\p{N})(?!\1\d)(?![.,'’]\d{3})`,
    'gu',
  );
const GROUPED = groupedBy(String.raw`.,'’\u00a0\u202f `);
const GROUPED_BY_SIGN = groupedBy(`.,'’`);
const NO_DIGIT = /\D/g;

const MAY_BE_GROUPED = /\d[.,'’\u00a0\u202f ]\d{3}|\d,\d\d,\d/;

/** Further words by which a text is found: the parts of compounds, compounds without their signs, and numbers without theirs. */
function wordParts(written: string): string[] {
  const text = withAsciiSigns(written);
  const parts: string[] = [];
  const { joint, character, part } = OTHER_LETTER.test(text) ? OTHER_COMPOUND : ASCII_COMPOUND;
  for (const word of wordsAround(text, joint, character, MAX_COMPOUND_CHARACTERS))
    addParts(parts, word.match(part) ?? []);
  for (const word of wordsAround(text, JOINT, OF_JOINED_WORD, MAX_JOINED_CHARACTERS))
    if (JOINED.test(word)) {
      parts.push(searchForm(word.replace(JOINT, '')));
      addPairs(parts, word.split(JOINT));
    }
  if (MAY_BE_CODE.test(text))
    for (const [, letters = '', number = ''] of text.matchAll(CODE)) parts.push(searchForm(letters + number));
  if (text.includes('\\'))
    for (const [, word = ''] of text.matchAll(AFTER_ESCAPE)) parts.push(searchForm(word));
  if (MAY_BE_NAME.test(text))
    for (const [, before = '', name = ''] of text.matchAll(NAME)) parts.push(searchForm(before + name));
  if (MAY_BE_GROUPED.test(text))
    for (const [number] of text.matchAll(GROUPED)) parts.push(number.replace(NO_DIGIT, ''));
  return parts;
}

function addParts(parts: string[], ofWord: string[]): void {
  for (const part of ofWord) parts.push(searchForm(part));
  addPairs(parts, ofWord);
}

/** Of a longer code people type a part: `ABC-123` of `ABC-123-XY`, `HTML5` of `HTML5Parser`. */
function addPairs(parts: string[], ofWord: string[]): void {
  if (ofWord.length < 3) return;
  for (let at = 0; at + 1 < ofWord.length; at++) {
    const pair = ofWord[at]! + ofWord[at + 1]!;
    if (/\d/.test(pair) && /\p{L}/u.test(pair)) parts.push(searchForm(pair));
  }
}

/** The words in which a pattern matches, without long ones. Most texts have few, so that only these are looked at. */
function* wordsAround(
  text: string,
  pattern: RegExp,
  character: RegExp,
  maxLength: number,
): Generator<string> {
  let end = 0;
  for (const { index } of text.matchAll(pattern)) {
    if (index < end) continue;
    let start = index;
    while (start > end && index - start <= maxLength && character.test(text[start - 1]!)) start -= 1;
    end = index + 1;
    while (end < text.length && end - start <= maxLength && character.test(text[end]!)) end += 1;
    if (end - start <= maxLength) yield text.slice(start, end);
  }
}

/** Writes the numbers of a query without the signs between their thousands, as they are also indexed. */
export const withoutGroups = (query: string): string =>
  query.replace(GROUPED_BY_SIGN, (number) => number.replace(NO_DIGIT, ''));

/** The numbers of a query whose thousands are written apart, as they are also indexed. */
export const groupedNumbers = (query: string): string[] =>
  Array.from(query.matchAll(GROUPED), ([number]) => number.replace(NO_DIGIT, ''));

/** Marks the terms of a title, for queries that look in titles only. */
const TITLE = 'title:';

export const titleTerm = (term: string): string => TITLE + term;

/** The words of a text as an index holds them. */
export interface IndexTerms {
  /** In order, with repetitions. They count in the length of a text. */
  terms: string[];
  /** Other ways to find the same words. */
  further: string[];
  /** The words of at least five letters as they are written, of which typing errors are corrections. */
  words: string[];
}

/** The index terms of a text in order, with repetitions. */
export function termsOf(text: string, language: string): string[] {
  return indexTermsOf(text, language).terms;
}

/** Shorter words have too many neighbours to guess which one was meant. */
const MIN_CORRECTED_LETTERS = 5;
const LETTERS = /^[\p{L}\p{M}]+$/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a word can be a correction, or be corrected: letters of a script with spaces. */
export const isCorrectable = (word: string): boolean =>
  word.length >= MIN_CORRECTED_LETTERS && LETTERS.test(word) && !UNSPACED.test(word);

/** @param runs receives the runs of Chinese and Japanese characters, whose terms are left out then: most of a Chinese text */
export function indexTermsOf(text: string, language: string, runs?: string[]): IndexTerms {
  const tokens = runs ? tokenizeApart(text, runs) : tokenize(text);
  const terms: string[] = [];
  const further: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    // Most terms of a Chinese text: they have no stems.
    if (characterClass(token.codePointAt(0)!) === HAN) {
      terms.push(token);
      continue;
    }
    terms.push(stemOf(token, language));
    addFurtherTerms(further, token, language);
    if (token.length < MIN_CORRECTED_LETTERS) continue;
    words.push(token);
    // Accents that are left out are no typing error.
    if (OTHER_LETTER.test(token)) words.push(foldedWord(token));
  }
  for (const part of wordParts(text)) {
    further.push(stemOf(part, language));
    addFurtherTerms(further, part, language);
  }
  return { terms, further, words };
}
