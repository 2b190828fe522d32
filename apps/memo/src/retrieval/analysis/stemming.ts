import { characterClass, LETTER } from './character-class';
import { LANGUAGES, languageOfWord } from './languages';
import { foldedWord, mayBeFolded } from './search-form';

/** Entries of the cache over all languages. When it is full, it is emptied. */
const MAX_CACHED_STEMS = 200_000;

/** Vietnamese diacritics distinguish words. In other languages people omit them. */
const ACCENTED_LANGUAGE = 'vi';

/** Stemmers add some. */
const ARABIC_MARKS = /[\u064b-\u065f\u0670\u0640]/g;

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
  return own === ACCENTED_LANGUAGE ? stem : withoutMarks(stem);
}

/** Keeps tokens that consist only of marks, such as an Arabic tatweel on its own. */
const withoutMarks = (stem: string): string => foldedWord(stem.replace(ARABIC_MARKS, '') || stem);

/** Some stemmers throw for some words, or return an empty stem. */
function safeStem(stem: (word: string) => string, word: string): string {
  try {
    return stem(word) || word;
  } catch {
    return word;
  }
}

/** Marks the terms of Vietnamese words without their tones, which match only weakly. */
const TONELESS = '~';

/**
 * Terms of a token beside its stem: the stem of the word without its accents, because people leave them out and stemmers then
 * see another ending.
 */
export function addFurtherTerms(terms: string[], token: string, language: string): void {
  if (characterClass(token.codePointAt(0)!) !== LETTER || !mayBeFolded(token)) return;
  const folded = foldedWord(token);
  if (folded === token) return;
  if (languageOfWord(token, language) === ACCENTED_LANGUAGE) terms.push(tonelessTerm(folded));
  else {
    const stem = stemOf(folded, language);
    if (stem !== stemOf(token, language)) terms.push(stem);
  }
}

/** The term by which a Vietnamese word is found that is typed without tones. */
export const tonelessTerm = (word: string): string => TONELESS + foldedWord(word);

/** The terms of a token of a query in texts of a language. */
export function termsOfToken(token: string, language: string): string[] {
  const terms = [stemOf(token, language)];
  if (language !== ACCENTED_LANGUAGE) addFurtherTerms(terms, token, language);
  return terms;
}
