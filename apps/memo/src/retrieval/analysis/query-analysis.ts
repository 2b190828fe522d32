import { characterClass, DIGIT, LETTER } from './character-class';
import { foldedWord, mayBeFolded, otherSpellings, withAsciiSigns } from './search-form';
import { stemOf, termsOfToken, tonelessTerm } from './stemming';
import { CONTEXTUAL_STOP_WORDS, stopWordsOf } from './stop-words';
import { groupedNumbers, titleTerm, withoutGroups } from './terms';
import { formerTokens, isHanCharacter, tokenize, wordSequence } from './tokenizer';

/** A query as people write it for a search: words, `"a phrase"`, `-excluded`, `title:word`. */
export interface ParsedQuery {
  /** The words, without those of fields and of what is excluded. */
  text: string;
  /** Word sequences that a passage has to contain. */
  phrases: string[];
  /** Words that the title has to contain. */
  inTitle: string[];
  excluded: { words: string[]; phrases: string[]; inTitle: string[] };
}

const QUOTES = '"“”„＂«»「」『』';
const QUOTED = String.raw`[${QUOTES}]\s*([^${QUOTES}]{1,400})[${QUOTES}]`;
/** A minus counts only in front of a word: `well-known`, `a - b` and `-5` exclude nothing. */
const OPERATION = new RegExp(
  String.raw`(?<![^\s("“”])(?:([-−－–])(?=[${QUOTES}\p{L}]))?(?:(title|标题|標題)[:：](?=\S))?(?:${QUOTED}|([^\s${QUOTES}]+))`,
  'giu',
);

export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = {
    text: '',
    phrases: [],
    inTitle: [],
    excluded: { words: [], phrases: [], inTitle: [] },
  };
  parsed.text = query.replace(
    OPERATION,
    (whole, minus?: string, field?: string, phrase?: string, word?: string) => {
      const content = phrase ?? word!;
      if (field) (minus ? parsed.excluded : parsed).inTitle.push(content);
      else if (phrase !== undefined) (minus ? parsed.excluded : parsed).phrases.push(phrase);
      else if (minus) parsed.excluded.words.push(content);
      else return whole;
      return ' ';
    },
  );
  return parsed;
}

/** Words of a question, in which no sign is an operator. */
export const wordsOnly = (query: string): ParsedQuery => ({
  text: query,
  phrases: [],
  inTitle: [],
  excluded: { words: [], phrases: [], inTitle: [] },
});

/** Of a longer query the most frequent words are used, then the first ones. Bounds the work of a search. */
const MAX_QUERY_WORDS = 400;
const MAX_EXCLUDED_WORDS = 100;
/** Weight of a single Chinese character relative to the bigrams that contain it (ADR 16). */
const HAN_CHARACTER_WEIGHT = 0.5;
/** Of a bigram with a function character, such as 在中, which is rare but says little. Both 0 and 1 rank worse (ADR 77). */
const FUNCTION_BIGRAM_WEIGHT = 0.5;

/** A word of a query, with its index terms in all languages of the workspace. */
export interface QueryWord {
  /** The word as it is written in the query. */
  text: string;
  terms: string[];
  /** Terms of other spellings and of corrections, which count less. */
  weakTerms: string[];
  /** A passage without it is not found. */
  isRequired: boolean;
  /** A passage with it is not found. */
  isExcluded: boolean;
  /** Not of the query, but of the best passages for it. It changes the order of passages only. */
  isFeedback: boolean;
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
  /** Whether words are required or excluded. */
  hasConditions: boolean;
  /** Whether a title and a text have the phrases that they must have and none that they must not have. */
  admits: (title: string, text: string) => boolean;
}

/** By token: the words of the index from which it differs by a typing error. */
export type Corrections = ReadonlyMap<string, readonly string[]>;

/**
 * @param query a question, whose signs are no operators, or a parsed query
 * @param languages languages of the texts that are searched
 */
export function analyzeQuery(
  query: string | ParsedQuery,
  languages: readonly string[],
  corrections: Corrections = new Map(),
): AnalyzedQuery {
  const parsed = typeof query === 'string' ? wordsOnly(query) : query;
  const { excluded, phrases, inTitle } = parsed;
  const text = withoutGroups(withAsciiSigns([parsed.text, ...phrases].join(' ')));
  const tokens = [...tokenize(text), ...groupedNumbers(text)];
  const stopWords = stopWordsOf(tokens, languages);
  const contentTokens = [...tokenize(text, (word) => stopWords.has(word)), ...groupedNumbers(text)].filter(
    (token) => !stopWords.has(token),
  );
  const former = formerSpellings(text, tokens);
  const required = new Set(phrases.flatMap((phrase) => tokenize(withoutGroups(withAsciiSigns(phrase)))));
  const byToken = new Map<string, QueryWord>();
  const byTerms = new Map<string, QueryWord>();
  const sequence = (contentTokens.length > 0 ? contentTokens : tokens).map((token) => {
    let word = byToken.get(token);
    if (!word) {
      const terms = termsIn(languages, [token, ...(former.get(token) ?? [])]);
      const weakTerms = weakTermsIn(languages, token, corrections).filter((term) => !terms.includes(term));
      word = byTerms.get(terms.join(' ')) ?? wordOf(token, terms, weakTerms, stopWords);
      byTerms.set(terms.join(' '), word);
      byToken.set(token, word);
    }
    word.isRequired ||= required.has(token);
    word.weight += weightOf(word);
    return word;
  });
  const excludedWords = [
    ...excluded.words.filter((word) => !isSequence(word)).flatMap((word) => wholeWords(word, languages)),
    ...titleWords(
      excluded.inTitle.filter((word) => !isSequence(word)),
      languages,
    ),
  ]
    .slice(0, MAX_EXCLUDED_WORDS)
    .map((word) => ({ ...word, weight: 0, isExcluded: true }));
  const scored = [
    ...titleWords(inTitle, languages).map((word) => ({ ...word, isRequired: true })),
    ...[...byTerms.values()].sort((one, other) => other.weight - one.weight),
  ].slice(0, MAX_QUERY_WORDS - excludedWords.length);
  const words = [...scored, ...excludedWords];
  return {
    words,
    adjacentWords: adjacentPairs(sequence, words),
    wordIndexOf: indexLookup(scored, languages),
    hasConditions: words.some(({ isRequired, isExcluded }) => isRequired || isExcluded),
    admits: admission(parsed),
  };
}

/** Words of a field, each with the terms by which titles are indexed. */
function titleWords(texts: string[], languages: readonly string[]): QueryWord[] {
  return texts
    .flatMap((text) => wholeWords(text, languages))
    .map((word) => ({ ...word, terms: word.terms.map(titleTerm), weight: 1 }));
}

/** The words of a text without weight. Of Chinese and Japanese only pairs count, because single characters are in most texts. */
function wholeWords(text: string, languages: readonly string[]): QueryWord[] {
  const tokens = tokenize(withoutGroups(withAsciiSigns(text)));
  const pairs = tokens.filter((token) => !isHanCharacter(token));
  return (pairs.length > 0 ? pairs : tokens).map((token) =>
    wordOf(token, termsIn(languages, [token]), [], new Set()),
  );
}

function admission({ phrases, inTitle, excluded }: ParsedQuery): AnalyzedQuery['admits'] {
  const sequences = (texts: string[]): string[] => texts.map(wordSequence).filter((one) => one.trim() !== '');
  const wanted = sequences(phrases);
  const unwanted = sequences([...excluded.phrases, ...excluded.words.filter(isSequence)]);
  const wantedInTitle = sequences(inTitle.filter(isSequence));
  const unwantedInTitle = sequences(excluded.inTitle.filter(isSequence));
  if ([wanted, unwanted, wantedInTitle, unwantedInTitle].every(({ length }) => length === 0))
    return () => true;
  return (title, text) => {
    const inText = wordSequence(`${title}\n${text}`);
    const ofTitle = wordSequence(title);
    return (
      wanted.every((one) => inText.includes(one)) &&
      !unwanted.some((one) => inText.includes(one)) &&
      wantedInTitle.every((one) => ofTitle.includes(one)) &&
      !unwantedInTitle.some((one) => ofTitle.includes(one))
    );
  };
}

/** Whether a condition is about several words in their order, which only texts can tell. */
const isSequence = (words: string): boolean => wordSequence(words).trim().includes(' ');

function weightOf({ isCharacter, hasFunctionCharacter }: QueryWord): number {
  if (isCharacter) return HAN_CHARACTER_WEIGHT;
  return hasFunctionCharacter ? FUNCTION_BIGRAM_WEIGHT : 1;
}

/** The tokens as the indexes of former versions hold them, where they differ. */
function formerSpellings(text: string, tokens: readonly string[]): Map<string, string[]> {
  const former = formerTokens(text);
  const spellings = new Map<string, string[]>();
  for (const [place, token] of former.entries()) {
    const now = tokens[place];
    if (now !== undefined && now !== token) spellings.set(now, [token]);
  }
  return former.length > tokens.length ? new Map() : spellings;
}

/** The terms of tokens in texts of all the languages. */
export const termsIn = (languages: readonly string[], tokens: readonly string[]): string[] => [
  ...new Set(tokens.flatMap((token) => languages.flatMap((language) => termsOfToken(token, language)))),
];

function weakTermsIn(languages: readonly string[], token: string, corrections: Corrections): string[] {
  if (characterClass(token.codePointAt(0)!) !== LETTER) return [];
  const spellings = [...otherSpellings(token), ...(corrections.get(token) ?? [])];
  const terms = termsIn(languages, spellings);
  if (languages.includes('vi') && foldedWord(token) === token) terms.push(tonelessTerm(token));
  return terms;
}

/** A word without weight. */
export function wordOf(
  text: string,
  terms: string[],
  weakTerms: string[],
  stopWords: ReadonlySet<string>,
): QueryWord {
  const isBetweenSpaces = isSpaced(text);
  const hasFunctionCharacter = !isBetweenSpaces && [...text].some((character) => stopWords.has(character));
  const isQuestionWord = stopWords.has(text) || CONTEXTUAL_STOP_WORDS.has(text);
  return {
    text,
    terms,
    weakTerms,
    isRequired: false,
    isExcluded: false,
    isFeedback: false,
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
  for (const kind of ['terms', 'weakTerms'] as const)
    words.forEach((word, place) => {
      for (const term of word[kind]) if (!places.has(term)) places.set(term, place);
    });
  const found = new Map<string, number>();
  return (token) => {
    let place = found.get(token);
    if (place !== undefined) return place;
    const stem =
      languages.map((language) => stemOf(token, language)).find((term) => places.has(term)) ??
      // Other words have no further terms than their stems.
      [...(mayBeFolded(token) ? termsIn(languages, [token]) : []), tonelessTerm(token)].find((term) =>
        places.has(term),
      );
    place = stem === undefined ? -1 : places.get(stem)!;
    found.set(token, place);
    return place;
  };
}
