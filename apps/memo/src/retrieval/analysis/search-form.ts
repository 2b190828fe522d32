/* eslint-disable no-control-regex, no-misleading-character-class -- the ranges begin with controls, and marks stand alone */
/** Characters that no reader sees (UAX 44) make no difference to a search. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** Whether a text has a character that is replaced. The others are the ASCII, Latin, Greek, Cyrillic and Chinese ones of most texts. */
const MAY_DIFFER =
  /[^\u0000-\u00ac\u00ae-\u02b8\u02c0-\u034e\u0370-\u058f\u2010-\u2029\u2030-\u205e\u3000-\u3163\u3165-\u9fff\uac00-\ud7a3\uff00-\uff9f]/u;
/**
 * Points and accents of Hebrew, the marks and the lengthening of Arabic, and the dot of Hindi and Punjabi may be left out (UTS 10: no
 * primary weight), and so may the apostrophes of transcriptions.
 */
const OPTIONAL_MARKS =
  /[\u02b9-\u02bf\u093c\u0a3c\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]+/gu;
/** Signs of abbreviations and foreign sounds in Hebrew words, for which people type quotes. */
const HEBREW_SIGNS = /(?<=[\u05d0-\u05ea])(?:["“”\u05f4](?=[\u05d0-\u05ea])|['’\u05f3])/g;
/** The dot of the vowel am before a tone mark in Thai and Lao; it is written behind it, too. */
const DOT_BEFORE_TONE = /\u0e4d([\u0e48-\u0e4b])|\u0ecd([\u0ec8-\u0ecb])/g;
/** Hiragana and katakana differ as small and capital letters do (UTS 10). */
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_TO_HIRAGANA = 0x60;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;
/** Keyboards of Arabic, Persian and Urdu write one letter with different characters (Unicode 9.2). */
const EQUAL_LETTERS: Record<string, string> = {
  ٱ: 'ا',
  ک: 'ك',
  ڪ: 'ك',
  ی: 'ي',
  ى: 'ي',
  ې: 'ي',
  ے: 'ي',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ۀ: 'ه',
  ۃ: 'ة',
  // Of Japanese names.
  﨑: '崎',
};
const EQUAL_LETTER = new RegExp(`[${Object.keys(EQUAL_LETTERS).join('')}]`, 'g');
const DIGIT = /^\p{Nd}$/u;
/** By digit of any script. */
const values = new Map<string, string>();

/** The form in which texts and queries are compared: equal characters are one, in lower case. */
export function searchForm(text: string): string {
  if (!MAY_DIFFER.test(text)) return inHiragana(text.normalize('NFKC').toLowerCase());
  const form = text
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(OPTIONAL_MARKS, '')
    .replace(HEBREW_SIGNS, '')
    .replace(DOT_BEFORE_TONE, (_, thai: string | undefined, lao: string | undefined) =>
      thai ? `${thai}\u0e4d` : `${lao}\u0ecd`,
    )
    .replace(EQUAL_LETTER, (letter) => EQUAL_LETTERS[letter]!)
    .replace(OTHER_DIGIT, valueOf);
  return inHiragana(form);
}

const inHiragana = (text: string): string =>
  text.replace(KATAKANA, (letter) => String.fromCharCode(letter.charCodeAt(0) - KATAKANA_TO_HIRAGANA));

/** The digits of a script follow each other, from zero on. */
function valueOf(digit: string): string {
  let value = values.get(digit);
  if (value === undefined) {
    const code = digit.codePointAt(0)!;
    let zero = code;
    while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
    values.set(digit, (value = String((code - zero) % 10)));
  }
  return value;
}

/** Signs of numbers and codes for which other keyboards have characters of their own, and all scripts with digits of their own. */
const MAY_HAVE_OTHER_SIGNS =
  /[\u00ad\u0660-\u1cff\u200b-\u200f\u2012-\u2015\u2060\u2212\ua620-\uabff\ud801-\ud83f\ufeff\uff0d\uff10-\uff5a]/;
const FULL_WIDTH = /[\uff0c\uff0e](?=\d)|[\uff0d\uff21-\uff3a\uff3f\uff41-\uff5a]/g;
const FULL_WIDTH_TO_ASCII = 0xfee0;
const DASH_BEFORE_NUMBER = /(?<=\p{L})[\u2012-\u2015\u2212](?=\d)/gu;

/** A text with ASCII digits, and ASCII signs in its numbers and codes. Capitals stay. */
export function withAsciiSigns(text: string): string {
  if (!MAY_HAVE_OTHER_SIGNS.test(text)) return text;
  return text
    .replace(INVISIBLE, '')
    .replace(OTHER_DIGIT, valueOf)
    .replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_TO_ASCII))
    .replace(DASH_BEFORE_NUMBER, '-')
    .replaceAll('\u066c', ',')
    .replaceAll('\u066b', '.');
}

const ACCENTS = /[\u0300-\u036f]/g;
const LIGATURES: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
};
const LIGATURE = /[ßøđłæœıðþħŋŧ]/g;

const NOT_ASCII = /[^\p{ASCII}]/u;

/** Whether a word may have accents or ligatures. */
export const mayBeFolded = (word: string): boolean => NOT_ASCII.test(word);

/** A word without accents and with its ligatures taken apart; the word itself if nothing else is left. */
export function foldedWord(word: string): string {
  // Most words. Normalizing them takes longer.
  if (!mayBeFolded(word)) return word;
  const folded = word
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(LIGATURE, (letter) => LIGATURES[letter]!);
  return folded || word;
}

/** Umlauts and Nordic letters as people write them without their keys. */
const WRITTEN_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae' };
const MAY_BE_WRITTEN_OUT = /[äöüøåæ]/g;
const MAY_BE_UMLAUT = /ae|oe|ue|aa/g;
/** Of a longer word with many such letters, not every combination is tried. */
const MAX_SPELLINGS = 8;

/** Other spellings of a word: `mueller` for `müller`, and `muller` for `mueller`. */
export function otherSpellings(word: string): string[] {
  const spellings = new Set<string>();
  const composed = word.normalize('NFC');
  if (MAY_BE_WRITTEN_OUT.test(composed))
    spellings.add(foldedWord(composed.replace(MAY_BE_WRITTEN_OUT, (letter) => WRITTEN_OUT[letter]!)));
  MAY_BE_WRITTEN_OUT.lastIndex = 0;
  const places = [...composed.matchAll(MAY_BE_UMLAUT)].map(({ index }) => index);
  let written = [composed];
  for (const place of places.toReversed()) {
    written = written.flatMap((one) => [one, one.slice(0, place + 1) + one.slice(place + 2)]);
    if (written.length >= MAX_SPELLINGS) break;
  }
  for (const one of written) spellings.add(foldedWord(one));
  spellings.delete(word);
  return [...spellings];
}
