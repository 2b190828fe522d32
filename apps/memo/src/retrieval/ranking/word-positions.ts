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
