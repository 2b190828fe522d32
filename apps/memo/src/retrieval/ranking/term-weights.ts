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

/** A passage that shares other words with the best passages needs only half of the share. */
const MATCH_SHARE_WITH_FEEDBACK = 0.5;
/** Of more words of feedback most say little about the subject. */
const MAX_FEEDBACK_WORDS = 12;
/** Weight of the best word of feedback; that of a word of the query is 1. At twice the query's own words lose against them. */
const FEEDBACK_WEIGHT = 0.3;

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
    Float64Array.from(words, ({ weight, isFeedback }, place) =>
      isOmitted[place] || isFeedback
        ? 0
        : weight * inverseDocumentFrequency(frequencies[place]!, chunks + others),
    );
  const information = weightsWithBackground(BACKGROUND_CHUNKS, isIgnored);
  const partOf = (shares: Shares) =>
    words.reduce((sum, word, place) => sum + information[place]! * shareOf(word, shares), 0);
  const score = weightsWithBackground(0, isIgnored);
  const hasFeedback = weightFeedback(score, words, frequencies, chunks, isIgnored);
  const asked = words.flatMap(({ isFeedback }, place) => (isFeedback ? [] : place));
  return {
    score,
    information,
    match: weightsWithBackground(BACKGROUND_CHUNKS, isUnread),
    minMatchInformation: partOf(MIN_MATCH_SHARES) * (hasFeedback ? MATCH_SHARE_WITH_FEEDBACK : 1),
    minAnswerInformation: partOf(MIN_ANSWER_SHARES),
    areAllCommon:
      asked.some((place) => isIgnored[place]) &&
      !asked.some((place) => !isIgnored[place] && frequencies[place]! > 0),
  };
}

/** Sets the weights of the words of feedback that are frequent in the best passages and rare elsewhere. Whether there are any. */
function weightFeedback(
  score: Float64Array,
  words: readonly QueryWord[],
  frequencies: Float64Array,
  chunks: number,
  isIgnored: readonly boolean[],
): boolean {
  const best = words
    .flatMap(({ isFeedback, weight }, place) => {
      if (!isFeedback || isIgnored[place] || frequencies[place] === 0) return [];
      const rarity = inverseDocumentFrequency(frequencies[place]!, chunks);
      return { place, rarity, weight: weight * rarity };
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_FEEDBACK_WORDS);
  for (const { place, rarity, weight } of best)
    score[place] = (FEEDBACK_WEIGHT * rarity * weight) / best[0]!.weight;
  return best.length > 0;
}

const inverseDocumentFrequency = (frequency: number, chunks: number) =>
  Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5));

function shareOf({ isSpaced, hasFunctionCharacter }: QueryWord, { spaced, unspaced }: Shares): number {
  if (hasFunctionCharacter) return 0;
  return isSpaced ? spaced : unspaced;
}
