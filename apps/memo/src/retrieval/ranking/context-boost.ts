import { type WordPositions } from './word-positions';

/**
 * Share of the weight of a query word that a passage gains if it lacks the word and the passage before or after it has the word.
 * Chosen: a neighbour counts half as much as the passage itself.
 */
const NEIGHBOUR_SHARE = 0.5;

/**
 * The score that a passage gains from the passages beside it. Texts are divided by length, so the words of one statement may be in
 * two passages.
 */
export function contextBoost(
  own: WordPositions,
  neighbours: readonly WordPositions[],
  weights: Float64Array,
): number {
  const lacking = new Set(
    neighbours.flatMap((neighbour) => [...neighbour.keys()]).filter((word) => !own.has(word)),
  );
  let gain = 0;
  for (const word of lacking) gain += NEIGHBOUR_SHARE * weights[word]!;
  return gain;
}
