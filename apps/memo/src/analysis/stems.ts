import { classOf, LETTER } from './character-class';
import { LANGUAGES, languageOfWord } from './languages';

/** Stems that are remembered, of all languages together. */
const MOST_STEMS = 200_000;

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
/** Accents tell its words apart, where elsewhere people leave them out. */
const ACCENTED_LANGUAGE = 'vi';

const stems = new Map<string, Map<string, string>>();
let remembered = 0;

/** What a token is found by in a text of that language: words that are forms of one have the same. */
export function stemOf(token: string, language: string): string {
  let ofLanguage = stems.get(language);
  if (!ofLanguage) stems.set(language, (ofLanguage = new Map<string, string>()));
  let stem = ofLanguage.get(token);
  if (stem !== undefined) return stem;
  stem = shorten(token, language);
  if (++remembered > MOST_STEMS) {
    stems.clear();
    remembered = 0;
  }
  ofLanguage.set(token, stem);
  return stem;
}

function shorten(token: string, language: string): string {
  if (classOf(token.codePointAt(0)!) !== LETTER) return token;
  const own = languageOfWord(token, language);
  const stem = own === undefined ? token : attempt(LANGUAGES[own]!.stem, token);
  // An Arabic stroke that lengthens words, standing alone, is all accent.
  return own === ACCENTED_LANGUAGE ? stem : withoutAccents(stem) || token;
}

/** The rules of one or other language do not know what to do with some words, and throw or leave nothing of them. */
function attempt(stem: (word: string) => string, word: string): string {
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
