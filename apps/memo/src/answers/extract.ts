import { type Asked, quotationFrom } from './quotation';
import { collapsed, sentencesOf } from './sentences';

const MOST_SENTENCES = 3;
/** Of a longer sentence its best part is taken. */
const MOST_CHARACTERS = 600;
/** A sentence has to hold this much of what the best one holds. */
const LEAST_SHARE = 0.5;

export interface Extract {
  /** Empty when no passage says enough on the question. */
  text: string;
  /** The numbers of the passages that it is from. */
  cited: number[];
}

interface Candidate {
  passage: number;
  at: number;
  text: string;
  worth: number;
}

/**
 * An answer without a model: the sentences of the passages that say most on the question, word for word, each with the
 * number of its passage, in the order of the passages.
 */
export function extractAnswer(passages: { title: string; text: string }[], asked: Asked): Extract {
  const candidates = passages
    .flatMap(({ title, text }, passage) =>
      asked.isAnsweredBy(`${title}\n${text}`) ? candidatesOf(text, passage, asked) : [],
    )
    .sort((one, other) => other.worth - one.worth || one.passage - other.passage || one.at - other.at);
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length === MOST_SENTENCES || candidate.worth < LEAST_SHARE * candidates[0]!.worth) break;
    if (!chosen.some(({ text }) => text === candidate.text)) chosen.push(candidate);
  }
  chosen.sort((one, other) => one.passage - other.passage || one.at - other.at);
  return {
    text: chosen.map(({ text, passage }) => `${text} [${passage + 1}]`).join(' '),
    cited: chosen.map(({ passage }) => passage + 1),
  };
}

function candidatesOf(text: string, passage: number, asked: Asked): Candidate[] {
  const { weights, wordsIn } = asked;
  return sentencesOf(text).flatMap((slice) => {
    const sentence = collapsed(shortened(text.slice(slice.start, slice.end), asked));
    const worth = [...new Set(wordsIn(sentence))].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
    return worth > 0 ? [{ passage, at: slice.start, text: sentence, worth }] : [];
  });
}

function shortened(sentence: string, asked: Asked): string {
  if (sentence.length <= MOST_CHARACTERS) return sentence;
  const { start, end } = quotationFrom(sentence, asked);
  return sentence.slice(start, end);
}
