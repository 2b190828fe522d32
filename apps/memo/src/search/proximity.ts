import { type AnalyzedQuery } from '../analysis/query';
import { tokensOf } from '../analysis/tokens';

/** Words further apart say nothing of one another. */
const MOST_DISTANCE = 8;
const WEIGHT = 0.2;

/** What a passage gains by words that follow one another in the question and are close in it. */
export function proximity(text: string, query: AnalyzedQuery, worths: Float64Array): number {
  if (query.neighbours.length === 0) return 0;
  const positions = new Map<number, number[]>();
  tokensOf(text).forEach((token, position) => {
    const word = query.placeOf(token);
    if (word < 0) return;
    const own = positions.get(word);
    if (own) own.push(position);
    else positions.set(word, [position]);
  });
  let gain = 0;
  for (const [word, next] of query.neighbours) {
    const distance = leastDistance(positions.get(word) ?? [], positions.get(next) ?? []);
    if (distance > MOST_DISTANCE) continue;
    gain += (WEIGHT * Math.min(rarityOf(word), rarityOf(next))) / Math.sqrt(distance);
  }
  return gain;

  function rarityOf(word: number): number {
    return worths[word]! / query.words[word]!.weight;
  }
}

/** Both ascending. */
function leastDistance(ones: number[], others: number[]): number {
  let least = Infinity;
  for (let i = 0, j = 0; i < ones.length && j < others.length;) {
    least = Math.min(least, Math.abs(ones[i]! - others[j]!));
    if (ones[i]! < others[j]!) i += 1;
    else j += 1;
  }
  return least;
}
