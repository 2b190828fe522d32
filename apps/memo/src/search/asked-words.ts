import { type AnalyzedQuery, type QueryWord } from '../analysis/query';
import { tokensOf } from '../analysis/tokens';
import { type Asked } from '../answers/quotation';
import { type Worths } from './worth';

/**
 * The words of a question for whoever looks for the part of a text that says most on it; those that only ask are worth
 * nothing, and so are single letters and digits alone.
 */
export function askedBy({ words, placeOf }: AnalyzedQuery, worths: Worths): Asked {
  const placesIn = (text: string) =>
    tokensOf(text)
      .map(placeOf)
      .filter((place) => place >= 0);
  const isTelling = ({ isFiller, isAsking }: QueryWord) => !isFiller && !isAsking;
  // Letters and digits of lists and numbers stand anywhere.
  const namesAnything = words.some((word) => isTelling(word) && !(word.isSpaced && word.text.length === 1));
  return {
    weights: new Map(
      words.map((word, place) => [word.text, namesAnything && isTelling(word) ? worths.telling[place]! : 0]),
    ),
    wordsIn: (text) => placesIn(text).map((place) => words[place]!.text),
    isAnsweredBy(text) {
      const told = [...new Set(placesIn(text))].reduce((sum, place) => sum + worths.telling[place]!, 0);
      return told >= worths.answerTelling;
    },
  };
}
