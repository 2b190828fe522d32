import { tokensOf } from '../analysis/tokens';
import { withRoundNotes } from './marker-filter';
import { type Asked, quotationFrom } from './quotation';
import { collapsed, type Slice, tellingSentencesOf } from './sentences';

const MOST_SENTENCES = 3;
/** Of a longer sentence its best part is taken. */
const MOST_CHARACTERS = 600;
/** A sentence has to say this much of what the best one says: with less, every other answer quotes a passage beside the point. */
const LEAST_SHARE = 0.75;
/** The best one has to say this much of the question, or there is no answer (ADR 16 has what that refuses). */
const LEAST_TOLD = 0.3;
const QUESTION = /[?？]["'”’」』)）]*$/;

/** A sentence that is quoted, as it stands in its passage. */
export interface Quoted extends Slice {
  /** The number of the passage, from 1. */
  passage: number;
}

export interface Extract {
  /** Empty when no sentence says enough on the question. */
  text: string;
  /** Best first. */
  quoted: Quoted[];
}

interface Candidate extends Quoted {
  text: string;
  worth: number;
}

/**
 * An answer without a model: of the passages that say a good part of the question the sentences that say most, word for word, each with the
 * number of its passage, in the order of the passages. A sentence says the words of the question that stand in it, in the
 * heading above it and in the title of its document, each worth the more the rarer it is. Up to three are quoted that say
 * about as much as the best one, and none when even that one says too little. Headings, questions, and what holds nothing
 * but words of the question are no answer.
 */
export function extractAnswer(passages: { title: string; text: string }[], asked: Asked): Extract {
  const whole = [...asked.weights.values()].reduce((sum, weight) => sum + weight, 0);
  const candidates = passages
    .flatMap((passage, index) =>
      asked.isAnsweredBy(`${passage.title}\n${passage.text}`) ? candidatesOf(passage, index + 1, asked) : [],
    )
    .sort((one, other) => other.worth - one.worth || one.passage - other.passage || one.start - other.start);
  const least = Math.max(LEAST_TOLD * whole, LEAST_SHARE * (candidates[0]?.worth ?? 0));
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length === MOST_SENTENCES || candidate.worth < least) break;
    if (!chosen.some(({ text }) => text === candidate.text)) chosen.push(candidate);
  }
  const inOrder = chosen.toSorted((one, other) => one.passage - other.passage || one.start - other.start);
  return {
    text: inOrder.map(({ text, passage }) => `${withRoundNotes(text)} [${passage}]`).join(' '),
    quoted: chosen,
  };
}

function candidatesOf({ title, text }: { title: string; text: string }, passage: number, asked: Asked) {
  return tellingSentencesOf(text).flatMap((sentence): Candidate[] => {
    const { start, end } = shortened(text, sentence, asked);
    const told = collapsed(text.slice(start, end));
    const own = worthOf(`${sentence.heading}\n${told}`, asked);
    if (own === 0 || QUESTION.test(told) || !addsTo(told, asked)) return [];
    const worth = worthOf(`${title}\n${sentence.heading}\n${told}`, asked);
    return [{ passage, start, end, text: told, worth }];
  });
}

function worthOf(text: string, { weights, wordsIn }: Asked): number {
  return [...new Set(wordsIn(text))].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
}

/** Whether it holds any word that was not asked. */
const addsTo = (told: string, { wordsIn }: Asked) => [...wordsIn(told)].length < tokensOf(told).length;

function shortened(text: string, { start, end }: Slice, asked: Asked): Slice {
  if (end - start <= MOST_CHARACTERS) return { start, end };
  const part = quotationFrom(text.slice(start, end), asked);
  return { start: start + part.start, end: start + part.end };
}
