import { characterClass, LETTER } from './character-class';
import { LANGUAGES, languageOfWord } from './languages';

/** Entries of the cache over all languages. When it is full, it is emptied. */
const MAX_CACHED_STEMS = 200_000;

const ACCENTS = /[\u0300-\u036f\u064b-\u065f\u0670\u0640]/g;
const LIGATURES: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};
const LIGATURE = /[ßøđłæœı]/g;
/** Vietnamese diacritics distinguish words. In other languages people omit them. */
const ACCENTED_LANGUAGE = 'vi';

const stems = new Map<string, Map<string, string>>();
let cachedStems = 0;

/** The index term of a token in a text of the given language. Forms of the same word have the same term. */
export function stemOf(token: string, language: string): string {
  // Not cached: the pairs of Chinese characters are so many that they would displace the words of other scripts.
  if (characterClass(token.codePointAt(0)!) !== LETTER) return token;
  let ofLanguage = stems.get(language);
  if (!ofLanguage) stems.set(language, (ofLanguage = new Map<string, string>()));
  let stem = ofLanguage.get(token);
  if (stem !== undefined) return stem;
  stem = shorten(token, language);
  if (++cachedStems > MAX_CACHED_STEMS) {
    stems.clear();
    cachedStems = 0;
  }
  ofLanguage.set(token, stem);
  return stem;
}

function shorten(token: string, language: string): string {
  const own = languageOfWord(token, language);
  const stem = own === undefined ? token : safeStem(LANGUAGES[own]!.stem, token);
  // Keep tokens that consist only of diacritics, such as an Arabic tatweel on its own.
  return own === ACCENTED_LANGUAGE ? stem : withoutAccents(stem) || token;
}

/** Some stemmers throw for some words, or return an empty stem. */
function safeStem(stem: (word: string) => string, word: string): string {
  try {
    return stem(word) || word;
  } catch {
    return word;
  }
}

const withoutAccents = (word: string) =>
  word
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(LIGATURE, (letter) => LIGATURES[letter]!);
