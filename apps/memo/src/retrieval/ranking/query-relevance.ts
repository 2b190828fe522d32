import { type AnalyzedQuery } from '../analysis/query-analysis';
import { tokenize } from '../analysis/tokenizer';
import { type TermWeights } from './term-weights';

/** Judges how much of a query a text contains. */
export interface QueryRelevance {
  /** Weight of each word that an answer is expected to contain; 0 for question words and function words. */
  weights: ReadonlyMap<string, number>;
  /** Weight of each word of the query in a text that contains it, whether or not it is expected there. */
  matchWeights: ReadonlyMap<string, number>;
  /** The words of the query that the text contains, by their stems. */
  matchedWords(text: string): Iterable<string>;
  /** Whether the text contains enough of the query to be quoted as its answer. */
  isAnsweredBy(text: string): boolean;
}

/** Single letters and numbers of up to two digits: they number clauses, list items and rows, whatever these are about. */
const NUMBERING = /^(?:.|\d{1,2})$/u;

export function queryRelevance({ words, wordIndexOf }: AnalyzedQuery, weights: TermWeights): QueryRelevance {
  const matchedIndexes = (text: string) =>
    tokenize(text)
      .map(wordIndexOf)
      .filter((index) => index >= 0);
  const hasContentWord = words.some(
    ({ text, isSpaced, isQuestionWord }) => !isQuestionWord && (!isSpaced || !NUMBERING.test(text)),
  );
  return {
    weights: new Map(
      words.map(({ text, hasFunctionCharacter, isQuestionWord }, index) => [
        text,
        hasFunctionCharacter || isQuestionWord ? 0 : weights.information[index]!,
      ]),
    ),
    matchWeights: new Map(words.map(({ text }, index) => [text, weights.match[index]!])),
    matchedWords: (text) => matchedIndexes(text).map((index) => words[index]!.text),
    isAnsweredBy(text) {
      const information = [...new Set(matchedIndexes(text))].reduce(
        (sum, index) => sum + weights.information[index]!,
        0,
      );
      return hasContentWord && information >= weights.minAnswerInformation;
    },
  };
}
