import { classOf, DIGIT, LETTER } from './character-class';
import { stemOf } from './stems';
import { ASKING_WORDS, stopWordsOf } from './stop-words';
import { isCharacter, tokensOf } from './tokens';

/** Of a longer question those words that it says most often, then the first ones. */
const MOST_WORDS = 400;
/** A Chinese character beside the two-character words that hold it. */
const CHARACTER_WEIGHT = 0.5;

/** A word of a question, with whatever it is found by in the languages that are searched. */
export interface QueryWord {
  /** As it was asked. */
  text: string;
  terms: string[];
  weight: number;
  /** One Chinese or Japanese character. */
  isCharacter: boolean;
  /** Of a script that puts spaces between words. */
  isSpaced: boolean;
  /** Holds a character that joins others or asks, so that it may well stand in no answer. */
  isFiller: boolean;
  /** By which people ask, whatever they ask for. */
  isAsking: boolean;
}

export interface AnalyzedQuery {
  words: QueryWord[];
  /** Those that follow one another in the question, as places in `words`: only words between spaces. */
  neighbours: [word: number, next: number][];
  /** The word that a token of a text is, as a place in `words`; -1 for none. */
  placeOf: (token: string) => number;
}

/** @param languages those of the texts that are searched */
export function analyzeQuery(query: string, languages: readonly string[]): AnalyzedQuery {
  const said = tokensOf(query);
  const stopWords = stopWordsOf(said, languages);
  const telling = tokensOf(query, (word) => stopWords.has(word)).filter((token) => !stopWords.has(token));
  const byToken = new Map<string, QueryWord>();
  const byTerms = new Map<string, QueryWord>();
  const sequence = (telling.length > 0 ? telling : said).map((token) => {
    let word = byToken.get(token);
    if (!word) {
      const terms = termsIn(languages, token);
      word = byTerms.get(terms.join(' ')) ?? wordOf(token, terms, stopWords);
      byTerms.set(terms.join(' '), word);
      byToken.set(token, word);
    }
    word.weight += word.isCharacter ? CHARACTER_WEIGHT : 1;
    return word;
  });
  const words = [...byTerms.values()].sort((one, other) => other.weight - one.weight).slice(0, MOST_WORDS);
  return { words, neighbours: neighboursIn(sequence, words), placeOf: finder(words, languages) };
}

const termsIn = (languages: readonly string[], token: string) => [
  ...new Set(languages.map((language) => stemOf(token, language))),
];

function wordOf(text: string, terms: string[], stopWords: ReadonlySet<string>): QueryWord {
  const isBetweenSpaces = isSpaced(text);
  const isFiller = !isBetweenSpaces && [...text].some((character) => stopWords.has(character));
  const isAsking = stopWords.has(text) || ASKING_WORDS.has(text);
  return {
    text,
    terms,
    weight: 0,
    isCharacter: isCharacter(text),
    isSpaced: isBetweenSpaces,
    isFiller,
    isAsking,
  };
}

function neighboursIn(sequence: QueryWord[], words: QueryWord[]): [number, number][] {
  const places = new Map(words.map((word, place) => [word, place]));
  return sequence.slice(1).flatMap((word, index): [number, number][] => {
    const before = sequence[index]!;
    const [from, to] = [places.get(before), places.get(word)];
    if (from === undefined || to === undefined || from === to) return [];
    return before.isSpaced && word.isSpaced ? [[from, to]] : [];
  });
}

function isSpaced(token: string): boolean {
  const kind = classOf(token.codePointAt(0)!);
  return kind === LETTER || kind === DIGIT;
}

function finder(words: QueryWord[], languages: readonly string[]): (token: string) => number {
  const places = new Map<string, number>();
  words.forEach(({ terms }, place) => {
    for (const term of terms) if (!places.has(term)) places.set(term, place);
  });
  const found = new Map<string, number>();
  return (token) => {
    let place = found.get(token);
    if (place !== undefined) return place;
    const stem = languages.map((language) => stemOf(token, language)).find((term) => places.has(term));
    place = stem === undefined ? -1 : places.get(stem)!;
    found.set(token, place);
    return place;
  };
}
