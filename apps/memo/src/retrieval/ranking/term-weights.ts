import { type QueryWord } from '../analysis/query-analysis';
import { isCommon, type IndexSnapshot } from './index-snapshot.repository';

/**
 * A passage matches if the query words in it carry at least this share of the information of all query words that are not
 * ignored. Query words that occur in no passage count in that total. Lower for Chinese: about every second bigram of a
 * query is not a word and occurs nowhere. Measured: the table in ADR 16.
 */
const MIN_MATCH_SHARES = { spaced: 0.18, unspaced: 0.1 };
/** The share for quoting a passage as an answer. It is higher, because no model judges the passage before. */
const MIN_ANSWER_SHARES = { spaced: 0.4, unspaced: 0.33 };
/**
 * Virtual passages without any word of the query. Without them, every word that occurs in a small workspace would
 * count as common.
 */
const BACKGROUND_CHUNKS = 100;

interface Shares {
  /** For words of scripts with spaces. */
  spaced: number;
  unspaced: number;
}

/** Weights of the query's words by their index; 0 for ignored words. */
export interface TermWeights {
  /** For the score: inverse document frequency times the frequency in the query. */
  score: Float64Array;
  /** The information of a word; unlike `score` it does not depend on the size of the workspace. */
  information: Float64Array;
  /** Like `information`, but also of words that are ignored because they are common. They still tell sentences apart. */
  match: Float64Array;
  /** Least information of a passage that matches. */
  minMatchInformation: number;
  /** Least information of a passage that is quoted as an answer. */
  minAnswerInformation: number;
  /** Whether words were ignored and no other word occurs anywhere. */
  areAllCommon: boolean;
}

/** @param frequencies number of passages that contain each word */
export function termWeights(
  words: readonly QueryWord[],
  frequencies: Float64Array,
  { chunks, commonTerms }: IndexSnapshot,
  withCommon: boolean,
): TermWeights {
  const isUnread = words.map((word) => word.terms.some((term) => commonTerms.has(term)));
  const isIgnored = words.map(
    (word, place) => isUnread[place]! || (!withCommon && isCommon(word, frequencies[place]!, chunks)),
  );
  const weightsWithBackground = (others: number, isOmitted: boolean[]) =>
    Float64Array.from(words, ({ weight }, place) =>
      isOmitted[place] ? 0 : weight * inverseDocumentFrequency(frequencies[place]!, chunks + others),
    );
  const information = weightsWithBackground(BACKGROUND_CHUNKS, isIgnored);
  const partOf = (shares: Shares) =>
    words.reduce((sum, word, place) => sum + information[place]! * shareOf(word, shares), 0);
  return {
    score: weightsWithBackground(0, isIgnored),
    information,
    match: weightsWithBackground(BACKGROUND_CHUNKS, isUnread),
    minMatchInformation: partOf(MIN_MATCH_SHARES),
    minAnswerInformation: partOf(MIN_ANSWER_SHARES),
    areAllCommon:
      isIgnored.includes(true) && !words.some((_word, place) => !isIgnored[place] && frequencies[place]! > 0),
  };
}

const inverseDocumentFrequency = (frequency: number, chunks: number) =>
  Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5));

function shareOf({ isSpaced, hasFunctionCharacter }: QueryWord, { spaced, unspaced }: Shares): number {
  if (hasFunctionCharacter) return 0;
  return isSpaced ? spaced : unspaced;
}
