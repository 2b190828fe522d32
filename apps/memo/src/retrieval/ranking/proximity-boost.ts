import { type AnalyzedQuery } from '../analysis/query-analysis';
import { type WordPositions } from './word-positions';

/** In tokens. Words further apart are considered unrelated. */
const MAX_DISTANCE = 8;
/** Share of the rarer word's weight that an adjacent pair adds. Half hardly changes the order; twice outweighs a missing word. */
const BOOST_SHARE = 0.2;

/** The score that a passage gains when words that are adjacent in the query are close to each other in it. */
export function proximityBoost(
  positions: WordPositions,
  query: AnalyzedQuery,
  weights: Float64Array,
): number {
  let gain = 0;
  for (const [word, next] of query.adjacentWords) {
    const distance = smallestDistance(positions.get(word) ?? [], positions.get(next) ?? []);
    if (distance > MAX_DISTANCE) continue;
    gain += (BOOST_SHARE * Math.min(rarityOf(word), rarityOf(next))) / Math.sqrt(distance);
  }
  return gain;

  function rarityOf(word: number): number {
    return weights[word]! / query.words[word]!.weight;
  }
}

/** The smallest distance between two lists of positions, both ascending. */
function smallestDistance(ones: readonly number[], others: readonly number[]): number {
  let smallest = Infinity;
  for (let i = 0, j = 0; i < ones.length && j < others.length;) {
    smallest = Math.min(smallest, Math.abs(ones[i]! - others[j]!));
    if (ones[i]! < others[j]!) i += 1;
    else j += 1;
  }
  return smallest;
}
