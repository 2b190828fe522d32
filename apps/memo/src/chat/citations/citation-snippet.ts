import { type QueryRelevance } from '../../retrieval/ranking/query-relevance';
import { tokenize } from '../../retrieval/analysis/tokenizer';
import { splitSentences, type Slice, trimSlice } from '../sentences/sentence-segmentation';
import { statementsOf, withoutListMarker } from '../sentences/statements';

/** Length of a citation's snippet. At half few sentences fit as a whole; at twice the citations line is hard to read. */
const MAX_SNIPPET_CHARACTERS = 300;
const MAX_SNIPPET_SENTENCES = 3;
/**
 * The snippet with the fewest sentences wins among those that reach this share of the best score. At 1 snippets have the
 * full length; at half they often lack the statement.
 */
const MIN_SCORE_SHARE = 0.6;
/**
 * Weight of the answer's words relative to the query's words. It is above 1, because a citation proves what the answer
 * says; at twice the query hardly counts.
 */
const ANSWER_TOKEN_WEIGHT = 2;
/** Finds where a long sentence can be cut. */
const WORD = new Intl.Segmenter('und', { granularity: 'word' });

interface Piece extends Slice {
  /** Weight of each matched word. A word counts once per snippet. */
  weights: Map<string, number>;
  section: number;
}

interface Candidate extends Slice {
  pieces: number;
  score: number;
}

/**
 * The part of a passage that best supports an answer: as few sentences as necessary, and whole ones if they are short
 * enough. It contains no double quote, because it is shown between double quotes. If no sentence scores above zero,
 * returns the first one.
 * @param statement the sentence of the answer that cites this passage; its words are matched too
 */
export function bestSnippet(text: string, relevance: QueryRelevance, statement = ''): Slice {
  const pieces = piecesOf(text, relevance, statement);
  const candidates = pieces.flatMap((_piece, index) => [...candidatesFrom(text, pieces, index)]);
  const minScore = MIN_SCORE_SHARE * Math.max(0, ...candidates.map(({ score }) => score));
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    // With a best score of zero the first candidate stays.
    if (candidate.score >= minScore && (!best || isBetter(candidate, best))) best = candidate;
  }
  return { start: best?.start ?? 0, end: best?.end ?? 0 };
}

/**
 * The part of a quoted passage that is shown as its citation. Takes the longest part of the quoted text that contains no
 * double quote, and returns its first whole sentences up to MAX_SNIPPET_CHARACTERS. If the first sentence is already too
 * long, returns the best snippet of that part.
 * @param quoted the slice of the passage that the answer quotes
 */
export function snippetWithin(text: string, quoted: Slice, relevance: QueryRelevance): Slice {
  const [longest = quoted] = splitAtQuotes(text, quoted).toSorted(
    (one, other) => other.end - other.start - (one.end - one.start),
  );
  const part = text.slice(longest.start, longest.end);
  const last = splitSentences(part).findLast(({ end }) => end <= MAX_SNIPPET_CHARACTERS);
  const { start, end } = last ? { start: 0, end: last.end } : bestSnippet(part, relevance);
  return { start: longest.start + start, end: longest.start + end };
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.pieces !== other.pieces) return one.pieces < other.pieces;
  if (one.score !== other.score) return one.score > other.score;
  return one.score > 0 && one.end - one.start < other.end - other.start;
}

function piecesOf(text: string, relevance: QueryRelevance, statement: string): Piece[] {
  const parts = statementsOf(text, MAX_SNIPPET_CHARACTERS).flatMap((sentence) =>
    splitAtQuotes(text, withoutListMarker(text, sentence))
      .flatMap((part) => splitAtLimit(text, part))
      .map((part) => ({ ...sentence, ...part })),
  );
  const texts = parts.map(({ start, end }) => text.slice(start, end));
  const words = texts.map((part, index) => [
    ...new Set(relevance.matchedWords(`${parts[index]!.context}\n${part}`)),
  ]);
  const statementTokens = new Set(tokenize(statement));
  const tokens = texts.map((part) =>
    [...new Set(tokenize(part))].filter((token) => statementTokens.has(token)),
  );
  const queryWeights = normalizeWeights(
    new Map(words.flat().map((word) => [word, relevance.weights.get(word) ?? 0])),
  );
  const statementWeights = normalizeWeights(inverseFrequencies(tokens));
  return parts.map(({ start, end, section }, index) => ({
    ...{ start, end, section },
    weights: new Map([
      ...words[index]!.map((word): [string, number] => [`query ${word}`, queryWeights.get(word)!]),
      ...tokens[index]!.map((token): [string, number] => [
        `statement ${token}`,
        ANSWER_TOKEN_WEIGHT * statementWeights.get(token)!,
      ]),
    ]),
  }));
}

/** A word that occurs in many parts distinguishes none of them. */
function inverseFrequencies(tokens: string[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens.flat()) counts.set(token, (counts.get(token) ?? 0) + 1);
  return new Map([...counts].map(([token, count]) => [token, 1 / count]));
}

function normalizeWeights(weights: Map<string, number>): Map<string, number> {
  const sum = [...weights.values()].reduce((total, score) => total + score, 0);
  return new Map([...weights].map(([word, score]) => [word, sum > 0 ? score / sum : 0]));
}

/** The slices of one to three pieces that start with this one and fit. */
function* candidatesFrom(text: string, pieces: Piece[], index: number): Generator<Candidate> {
  const { start, section } = pieces[index]!;
  const seen = new Set<string>();
  let count = 0;
  let score = 0;
  for (const { end, weights, section: own } of pieces.slice(index, index + MAX_SNIPPET_SENTENCES)) {
    // A snippet does not continue below the next heading.
    if (own !== section) return;
    if (end - start > MAX_SNIPPET_CHARACTERS || text.slice(start, end).includes('"')) return;
    for (const [word, share] of weights) if (!seen.has(word)) score += share;
    for (const word of weights.keys()) seen.add(word);
    count += 1;
    yield { start, end, pieces: count, score };
  }
}

function splitAtQuotes(text: string, { start, end }: Slice): Slice[] {
  const pieces: Slice[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && text[at] !== '"') continue;
    const piece = trimSlice(text, { start: from, end: at });
    if (piece.start < piece.end) pieces.push(piece);
    from = at + 1;
  }
  return pieces;
}

function splitAtLimit(text: string, { start, end }: Slice): Slice[] {
  if (end - start <= MAX_SNIPPET_CHARACTERS) return [{ start, end }];
  const pieces: Slice[] = [];
  let from = start;
  let to = start;
  for (const { index, segment } of WORD.segment(text.slice(start, end))) {
    const wordEnd = start + index + segment.length;
    if (wordEnd - from > MAX_SNIPPET_CHARACTERS && to > from) {
      pieces.push(trimSlice(text, { start: from, end: to }));
      from = to;
    }
    to = wordEnd;
  }
  pieces.push(trimSlice(text, { start: from, end }));
  return pieces.filter((piece) => piece.start < piece.end).flatMap((piece) => splitLongWord(text, piece));
}

/** Cuts a single word that exceeds the limit, without splitting a surrogate pair. */
function splitLongWord(text: string, { start, end }: Slice): Slice[] {
  const pieces: Slice[] = [];
  for (let from = start; from < end;) {
    let to = Math.min(from + MAX_SNIPPET_CHARACTERS, end);
    if (to < end && /[\udc00-\udfff]/.test(text[to]!)) to -= 1;
    pieces.push({ start: from, end: to });
    from = to;
  }
  return pieces;
}
