import { type AnalyzedQuery } from '../analysis/query';
import { tokensOf } from '../analysis/tokens';
import { type Asked } from '../answers/quotation';

/** The words of a question for whoever looks for the part of a text that says most on it. */
export function askedBy({ words, placeOf }: AnalyzedQuery, worths: Float64Array): Asked {
  return {
    weights: new Map(words.map(({ text }, place) => [text, worths[place]!])),
    *wordsIn(text) {
      for (const token of tokensOf(text)) {
        const place = placeOf(token);
        if (place >= 0) yield words[place]!.text;
      }
    },
  };
}
