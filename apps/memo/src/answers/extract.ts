import { tokensOf } from '../analysis/tokens';
import { withRoundNotes } from './marker-filter';
import { type Asked, quotationFrom } from './quotation';
import { collapsed, type Slice } from './sentences';
import { ANNOUNCES, type TellingSentence, tellingSentencesOf, withoutMark } from './telling';

const MOST_SENTENCES = 3;
/** Of a longer sentence its best part is taken. */
const MOST_CHARACTERS = 600;
/** A sentence has to say this much of what the best one says: with less, every other answer quotes a passage beside the point. */
const LEAST_SHARE = 0.75;
/** The best one has to say this much of the question, or there is no answer (ADR 16 has what that refuses). */
const LEAST_TOLD = 0.3;
/** A word that only stands above a sentence, as it does above others, counts this much of one that the sentence says. */
const ABOVE_SHARE = 0.5;
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
  /** The first row of the table that it is another row of: it tells what the cells are. */
  header: Slice | undefined;
}

/** A sentence, or several in a row. */
interface Part extends TellingSentence {
  /** What the words of the question are worth that it and what stands above it say. */
  told: number;
  isOne: boolean;
}

/**
 * An answer without a model: of the passages that say a good part of the question the sentences that say most, word for
 * word, each with the number of its passage, in the order of the passages. A sentence says the words of the question that
 * stand in it and in the title of its document, each worth the more the rarer it is, and by half those in the headings
 * above it. Up to three are quoted that say about as much as the best one, and none when even that one says too little.
 * Those that are named by their heading alone, like the steps of an instruction, are quoted as one, and a row of a table with
 * the first row above it. Headings, questions, lines that only announce others, and what holds nothing but words of the
 * question are no answer.
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
  // The first that is quoted of a passage is what it is cited for: a row, and not what says what its cells are.
  const isHeader = (one: Quoted) =>
    chosen.some(({ passage, header }) => passage === one.passage && header?.start === one.start);
  const rowsFirst = chosen.toSorted((one, other) => Number(isHeader(one)) - Number(isHeader(other)));
  const quoted = [...rowsFirst, ...headersOf(chosen)];
  const inOrder = quoted.toSorted((one, other) => one.passage - other.passage || one.start - other.start);
  const told = inOrder.map(({ passage, start, end }) => {
    const { text } = passages[passage - 1]!;
    return `${withRoundNotes(collapsed(text.slice(start, end)))} [${passage}]`;
  });
  return { text: told.join(' '), quoted };
}

/** Each once, and none that is quoted anyway. */
function headersOf(chosen: Candidate[]): Quoted[] {
  const headers: Quoted[] = [];
  for (const { passage, header } of chosen) {
    const isQuoted = (one: Quoted) =>
      one.passage === passage && one.start <= header!.start && header!.end <= one.end;
    if (header && ![...chosen, ...headers].some(isQuoted)) headers.push({ passage, ...header });
  }
  return headers;
}

function candidatesOf({ title, text }: { title: string; text: string }, passage: number, asked: Asked) {
  return partsOf(text, asked).flatMap((part): Candidate[] => {
    // The items of a list keep their marks among one another.
    const { start, end } = part.isOne ? withoutMark(text, part) : part;
    const told = collapsed(text.slice(start, end));
    if (QUESTION.test(told) || ANNOUNCES.test(told) || !addsTo(told, asked)) return [];
    const own = worthOf(`${title}\n${told}`, asked);
    const worth = own + ABOVE_SHARE * (worthOf(`${title}\n${part.above}\n${told}`, asked) - own);
    return [{ passage, start, end, text: told, worth, header: part.header }];
  });
}

/** What says anything on a question. Sentences in a row that add nothing to what names them all are one, as far as there is room. */
function partsOf(text: string, asked: Asked): Part[] {
  const parts: Part[] = [];
  let before: Part | undefined;
  for (const sentence of tellingSentencesOf(text, MOST_CHARACTERS)) {
    const { above, section, header } = sentence;
    const { start, end } = shortened(text, sentence, asked);
    const told = worthOf(`${above}\n${text.slice(start, end)}`, asked);
    const isNamedAbove = told === worthOf(above, asked);
    if (told === 0) {
      before = undefined;
    } else if (isNamedAbove && before && goesOn(before, { section, told, end, header })) {
      before.end = end;
      before.isOne = false;
    } else {
      before = { ...sentence, start, end, told, isOne: true };
      parts.push(before);
    }
  }
  return parts;
}

function goesOn(
  before: Part,
  { section, told, end, header }: Omit<Part, 'start' | 'above' | 'isOne'>,
): boolean {
  const isItsHeader = header?.start === before.start;
  const isOfTheSame = before.section === section && before.told === told;
  return isOfTheSame && !isItsHeader && end - before.start <= MOST_CHARACTERS;
}

/** Summed in one order, so that what says the same is worth the same. */
function worthOf(text: string, { weights, wordsIn }: Asked): number {
  const words = new Set(wordsIn(text));
  return [...weights].reduce((sum, [word, weight]) => sum + (words.has(word) ? weight : 0), 0);
}

/** Whether it holds any word that was not asked. */
const addsTo = (told: string, { wordsIn }: Asked) => [...wordsIn(told)].length < tokensOf(told).length;

function shortened(text: string, { start, end }: Slice, asked: Asked): Slice {
  if (end - start <= MOST_CHARACTERS) return { start, end };
  const part = quotationFrom(text.slice(start, end), asked);
  return { start: start + part.start, end: start + part.end };
}
