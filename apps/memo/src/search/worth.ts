import { type QueryWord } from '../analysis/query';
import { isCommon, type Snapshot } from './snapshot';

/**
 * A passage is found when it says this share of what the question does, words that stand nowhere included. Of Chinese,
 * which is cut into all its pairs of characters, every other pair is no word, and so stands nowhere.
 */
const FOUND_SHARES = { spaced: 0.18, unspaced: 0.1 };
/** One that is quoted as an answer says more: nobody reads it before, as a model would that can still refuse. */
const ANSWER_SHARES = { spaced: 0.4, unspaced: 0.33 };
/** So many passages more, without any of the words: among few every word that stands anywhere would seem to say nothing. */
const BACKGROUND_CHUNKS = 100;

interface Shares {
  /** Of words between spaces. */
  spaced: number;
  unspaced: number;
}

/** What the words of a question are worth, by their places; 0 for those that are left out. */
export interface Worths {
  /** In the score: how rare a word is, times how much it was asked for. */
  score: Float64Array;
  /** What a word says, whatever the size of the workspace. */
  telling: Float64Array;
  /** How much a passage has to say to be found. */
  leastTelling: number;
  /** The same to be an answer. */
  answerTelling: number;
  /** Whether all words that stand anywhere are too common to be looked for while others are. */
  areAllCommon: boolean;
}

/** @param frequencies in how many passages each word stands */
export function worthsOf(
  words: readonly QueryWord[],
  frequencies: Float64Array,
  { chunks, commonTerms }: Snapshot,
  withCommon: boolean,
): Worths {
  const isLeftOut = words.map((word, place) => {
    if (word.terms.some((term) => commonTerms.has(term))) return true;
    return !withCommon && isCommon(word, frequencies[place]!, chunks);
  });
  const amongOthers = (others: number) =>
    Float64Array.from(words, ({ weight }, place) =>
      isLeftOut[place] ? 0 : weight * rarity(frequencies[place]!, chunks + others),
    );
  const telling = amongOthers(BACKGROUND_CHUNKS);
  const partOf = (shares: Shares) =>
    words.reduce((sum, word, place) => sum + telling[place]! * shareOf(word, shares), 0);
  return {
    score: amongOthers(0),
    telling,
    leastTelling: partOf(FOUND_SHARES),
    answerTelling: partOf(ANSWER_SHARES),
    areAllCommon:
      isLeftOut.includes(true) && !words.some((_word, place) => !isLeftOut[place] && frequencies[place]! > 0),
  };
}

const rarity = (frequency: number, chunks: number) =>
  Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5));

function shareOf({ isSpaced, isFiller }: QueryWord, { spaced, unspaced }: Shares): number {
  if (isFiller) return 0;
  return isSpaced ? spaced : unspaced;
}
