import { type AnalyzedQuery } from '../analysis/query';
import { tokensOf } from '../analysis/tokens';
import { type Asked } from '../answers/quotation';
import { type Worths } from './worth';

const NUMBERING = /^(?:.|\d{1,2})$/u;

/** The words of a question for whoever looks for the part of a text that says most on it; those that only ask are worth nothing. */
export function askedBy({ words, placeOf }: AnalyzedQuery, worths: Worths): Asked {
  const placesIn = (text: string) =>
    tokensOf(text)
      .map(placeOf)
      .filter((place) => place >= 0);
  // Single letters and small numbers stand in those of clauses, lists and tables, whatever these are about.
  const namesAnything = words.some(
    ({ text, isSpaced, isAsking }) => !isAsking && (!isSpaced || !NUMBERING.test(text)),
  );
  return {
    weights: new Map(
      words.map(({ text, isFiller, isAsking }, place) => [
        text,
        isFiller || isAsking ? 0 : worths.telling[place]!,
      ]),
    ),
    wordsIn: (text) => placesIn(text).map((place) => words[place]!.text),
    isAnsweredBy(text) {
      const told = [...new Set(placesIn(text))].reduce((sum, place) => sum + worths.telling[place]!, 0);
      return namesAnything && told >= worths.answerTelling;
    },
  };
}
