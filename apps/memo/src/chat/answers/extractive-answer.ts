import { type QueryRelevance } from '../../retrieval/ranking/query-relevance';
import { tokenize } from '../../retrieval/analysis/tokenizer';
import { escapeMarkers } from '../citations/citation-markers';
import { bestSnippet } from '../citations/citation-snippet';
import { collapseWhitespace, type Slice } from '../sentences/sentence-segmentation';
import { LEAD_IN, type Statement, statementsOf, withoutListMarker } from '../sentences/statements';

/** A single sentence answers few questions; twice as many make an answer hard to read. */
const MAX_SENTENCES = 3;
/** Only the best part of a longer sentence is quoted. */
const MAX_SENTENCE_CHARACTERS = 600;
/**
 * Lowest score relative to the best sentence. At half, every other answer quotes an irrelevant passage; at 1, only
 * sentences with the best score are quoted.
 */
const MIN_SHARE_OF_BEST = 0.75;
/**
 * Lowest score of a sentence, by the expected words alone, relative to those of the whole query. Below it there is no answer. Measured: the table in
 * ADR 16 shows what it refuses.
 */
const MIN_SHARE_OF_QUERY = 0.3;
/**
 * Weight of a word that occurs only in the context of a sentence. At 1 all sentences of a section score
 * alike; at 0 headings do not count.
 */
const CONTEXT_WORD_WEIGHT = 0.5;
const QUESTION = /[?？]["'”’」』)）]*$/;

/** A quoted sentence: a slice of its passage. */
export interface QuotedSentence extends Slice {
  /** Number of the passage, from 1. */
  passage: number;
}

export interface ExtractiveAnswer {
  /** Empty if no sentence is relevant enough. */
  text: string;
  /** Best first. */
  quoted: QuotedSentence[];
}

interface Candidate extends QuotedSentence {
  text: string;
  /** Orders the sentences. */
  score: number;
  /** The score by the expected words alone. */
  expectedScore: number;
  /** The header row, if the sentence is a row of a table. It names the cells. */
  header: Slice | undefined;
}

/** A sentence, or consecutive sentences that are quoted together. */
interface Part extends Statement {
  /** Score of the sentence together with its context. */
  contextualScore: number;
  isSingleSentence: boolean;
}

/**
 * Builds an answer without a model. It quotes the best sentences of the relevant passages, each followed by the
 * number of its passage, in the order of the passages.
 * A sentence scores by the query words in it and in the document title, weighted by their rarity; words that occur
 * only in its context count half. Up to three sentences are quoted whose scores are close to the best one. Common words
 * count where they occur, because an answer often repeats them. Since many answers do not, they do not count in the share of
 * the query that a quoted sentence must contain. Consecutive sentences that match only by their heading, such as the steps of
 * an instruction, are quoted together; a table row is quoted with its header row. Headings, questions, lead-ins, and
 * sentences that contain only query words are not quoted.
 */
export function extractAnswer(
  passages: { title: string; text: string }[],
  relevance: QueryRelevance,
): ExtractiveAnswer {
  const queryWeight = [...relevance.weights.values()].reduce((sum, weight) => sum + weight, 0);
  const minExpectedScore = MIN_SHARE_OF_QUERY * queryWeight;
  const candidates = passages
    .flatMap((passage, index) =>
      relevance.isAnsweredBy(`${passage.title}\n${passage.text}`)
        ? candidatesOf(passage, index + 1, relevance)
        : [],
    )
    .filter(({ expectedScore }) => expectedScore >= minExpectedScore)
    .sort((one, other) => other.score - one.score || one.passage - other.passage || one.start - other.start);
  const minScore = MIN_SHARE_OF_BEST * (candidates[0]?.score ?? 0);
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (chosen.length === MAX_SENTENCES || candidate.score < minScore) break;
    if (!chosen.some(({ text }) => text === candidate.text)) chosen.push(candidate);
  }
  // The first quoted sentence of a passage becomes its citation: a row before the header row.
  const isHeader = (one: QuotedSentence) =>
    chosen.some(({ passage, header }) => passage === one.passage && header?.start === one.start);
  const rowsFirst = chosen.toSorted((one, other) => Number(isHeader(one)) - Number(isHeader(other)));
  const quoted = [...rowsFirst, ...headersOf(chosen)];
  const inOrder = quoted.toSorted((one, other) => one.passage - other.passage || one.start - other.start);
  const quotations = inOrder.map(({ passage, start, end }) => {
    const { text } = passages[passage - 1]!;
    return `${escapeMarkers(collapseWhitespace(text.slice(start, end)))} [${passage}]`;
  });
  return { text: quotations.join(' '), quoted };
}

/** Each header once, unless it is quoted anyway. */
function headersOf(chosen: Candidate[]): QuotedSentence[] {
  const headers: QuotedSentence[] = [];
  for (const { passage, header } of chosen) {
    const isQuoted = (one: QuotedSentence) =>
      one.passage === passage && one.start <= header!.start && header!.end <= one.end;
    if (header && ![...chosen, ...headers].some(isQuoted)) headers.push({ passage, ...header });
  }
  return headers;
}

function candidatesOf(
  { title, text }: { title: string; text: string },
  passage: number,
  relevance: QueryRelevance,
) {
  return partsOf(text, relevance).flatMap((part): Candidate[] => {
    // List items that are quoted together keep their markers.
    const { start, end } = part.isSingleSentence ? withoutListMarker(text, part) : part;
    const sentence = collapseWhitespace(text.slice(start, end));
    if (QUESTION.test(sentence) || LEAD_IN.test(sentence) || !addsWords(sentence, relevance)) return [];
    const own = `${title}\n${sentence}`;
    const withContext = `${title}\n${part.context}\n${sentence}`;
    const blended = (weights: QueryRelevance['weights']) => {
      const ownScore = scoreOf(own, relevance, weights);
      return ownScore + CONTEXT_WORD_WEIGHT * (scoreOf(withContext, relevance, weights) - ownScore);
    };
    const [score, expectedScore] = [blended(relevance.matchWeights), blended(relevance.weights)];
    return [{ passage, start, end, text: sentence, score, expectedScore, header: part.header }];
  });
}

/**
 * The parts of a text that match the query. Consecutive sentences that add no match to their context are joined, up
 * to the maximum length.
 */
function partsOf(text: string, relevance: QueryRelevance): Part[] {
  const parts: Part[] = [];
  let previous: Part | undefined;
  for (const sentence of statementsOf(text, MAX_SENTENCE_CHARACTERS)) {
    const { context, section, header } = sentence;
    const { start, end } = shortened(text, sentence, relevance);
    const contextualScore = scoreOf(`${context}\n${text.slice(start, end)}`, relevance);
    const matchesOnlyContext = contextualScore === scoreOf(context, relevance);
    if (contextualScore === 0) {
      previous = undefined;
    } else if (
      matchesOnlyContext &&
      previous &&
      continuesPart(previous, { section, contextualScore, end, header })
    ) {
      previous.end = end;
      previous.isSingleSentence = false;
    } else {
      previous = { ...sentence, start, end, contextualScore, isSingleSentence: true };
      parts.push(previous);
    }
  }
  return parts;
}

function continuesPart(
  previous: Part,
  { section, contextualScore, end, header }: Omit<Part, 'start' | 'context' | 'isSingleSentence'>,
): boolean {
  const isItsHeader = header?.start === previous.start;
  const isOfSameSection = previous.section === section && previous.contextualScore === contextualScore;
  return isOfSameSection && !isItsHeader && end - previous.start <= MAX_SENTENCE_CHARACTERS;
}

/** Adds up in a fixed order, so that equal matches have exactly equal scores. */
function scoreOf(text: string, relevance: QueryRelevance, weights = relevance.weights): number {
  const words = new Set(relevance.matchedWords(text));
  return [...weights].reduce((sum, [word, weight]) => sum + (words.has(word) ? weight : 0), 0);
}

/** Whether the text contains any word that is not in the query. */
const addsWords = (text: string, { matchedWords }: QueryRelevance) =>
  [...matchedWords(text)].length < tokenize(text).length;

function shortened(text: string, { start, end }: Slice, relevance: QueryRelevance): Slice {
  if (end - start <= MAX_SENTENCE_CHARACTERS) return { start, end };
  const part = bestSnippet(text.slice(start, end), relevance);
  return { start: start + part.start, end: start + part.end };
}
