import { type AnalyzedQuery } from '../analysis/query-analysis';
import { tokenize } from '../analysis/tokenizer';

/** Where each word of a query is in a text: token positions in ascending order by the index of the word. Absent words are missing. */
export type WordPositions = ReadonlyMap<number, readonly number[]>;

export function wordPositions(text: string, query: AnalyzedQuery): WordPositions {
  const positions = new Map<number, number[]>();
  tokenize(text).forEach((token, position) => {
    const word = query.wordIndexOf(token);
    if (word < 0) return;
    const own = positions.get(word);
    if (own) own.push(position);
    else positions.set(word, [position]);
  });
  return positions;
}

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
