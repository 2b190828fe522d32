import { characterClass, DIGIT, LETTER } from './character-class';
import { stemOf } from './stemming';
import { CONTEXTUAL_STOP_WORDS, stopWordsOf } from './stop-words';
import { isHanCharacter, tokenize } from './tokenizer';

/** Of a longer query the most frequent words are used, then the first ones. Bounds the work of a search. */
const MAX_QUERY_WORDS = 400;
/** Weight of a single Chinese character relative to the bigrams that contain it (ADR 16). */
const HAN_CHARACTER_WEIGHT = 0.5;

/** A word of a query, with its index terms in all languages of the workspace. */
export interface QueryWord {
  /** The word as it is written in the query. */
  text: string;
  terms: string[];
  weight: number;
  /** One Chinese or Japanese character. */
  isCharacter: boolean;
  /** From a script that separates words by spaces. */
  isSpaced: boolean;
  /** Contains a Chinese function character or question character, so it may occur in no answer. */
  hasFunctionCharacter: boolean;
  /** A word of the question itself, such as "how" or "need", that says nothing about its subject. */
  isQuestionWord: boolean;
}

export interface AnalyzedQuery {
  words: QueryWord[];
  /** Pairs of words that are adjacent in the query, as indexes into `words`. Only words of scripts with spaces. */
  adjacentWords: [word: number, next: number][];
  /** The index in `words` of the word that a token of a text matches; -1 if there is none. */
  wordIndexOf: (token: string) => number;
}

/** @param languages languages of the texts that are searched */
export function analyzeQuery(query: string, languages: readonly string[]): AnalyzedQuery {
  const tokens = tokenize(query);
  const stopWords = stopWordsOf(tokens, languages);
  const contentTokens = tokenize(query, (word) => stopWords.has(word)).filter(
    (token) => !stopWords.has(token),
  );
  const byToken = new Map<string, QueryWord>();
  const byTerms = new Map<string, QueryWord>();
  const sequence = (contentTokens.length > 0 ? contentTokens : tokens).map((token) => {
    let word = byToken.get(token);
    if (!word) {
      const terms = termsIn(languages, token);
      word = byTerms.get(terms.join(' ')) ?? wordOf(token, terms, stopWords);
      byTerms.set(terms.join(' '), word);
      byToken.set(token, word);
    }
    word.weight += word.isCharacter ? HAN_CHARACTER_WEIGHT : 1;
    return word;
  });
  const words = [...byTerms.values()]
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_QUERY_WORDS);
  return { words, adjacentWords: adjacentPairs(sequence, words), wordIndexOf: indexLookup(words, languages) };
}

const termsIn = (languages: readonly string[], token: string) => [
  ...new Set(languages.map((language) => stemOf(token, language))),
];

function wordOf(text: string, terms: string[], stopWords: ReadonlySet<string>): QueryWord {
  const isBetweenSpaces = isSpaced(text);
  const hasFunctionCharacter = !isBetweenSpaces && [...text].some((character) => stopWords.has(character));
  const isQuestionWord = stopWords.has(text) || CONTEXTUAL_STOP_WORDS.has(text);
  return {
    text,
    terms,
    weight: 0,
    isCharacter: isHanCharacter(text),
    isSpaced: isBetweenSpaces,
    hasFunctionCharacter,
    isQuestionWord,
  };
}

function adjacentPairs(sequence: QueryWord[], words: QueryWord[]): [number, number][] {
  const places = new Map(words.map((word, place) => [word, place]));
  return sequence.slice(1).flatMap((word, index): [number, number][] => {
    const before = sequence[index]!;
    const [from, to] = [places.get(before), places.get(word)];
    if (from === undefined || to === undefined || from === to) return [];
    return before.isSpaced && word.isSpaced ? [[from, to]] : [];
  });
}

function isSpaced(token: string): boolean {
  const kind = characterClass(token.codePointAt(0)!);
  return kind === LETTER || kind === DIGIT;
}

function indexLookup(words: QueryWord[], languages: readonly string[]): (token: string) => number {
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
