import { tokensOf } from '../analysis/tokens';
import { sentencesOf, type Slice, trimmed } from './sentences';
import { tellingSentencesOf, withoutMark } from './telling';

const MOST_CHARACTERS = 300;
const MOST_SENTENCES = 3;
/** More sentences are quoted only where fewer say less than this of what they say. */
const ENOUGH_SHARE = 0.6;
/** What an answer says by a passage counts more than what was asked: a quotation is to show that it is true. */
const SAID_WEIGHT = 2;
/** Where a slice can be cut that is too long. */
const WORD = new Intl.Segmenter('und', { granularity: 'word' });

/** What each word of a question is worth, and how to find them in a text. */
export interface Asked {
  weights: ReadonlyMap<string, number>;
  /** Those words of the question that the text holds. */
  wordsIn(text: string): Iterable<string>;
  /** Whether the text says so much of what is asked that it may be taken for an answer. */
  isAnsweredBy(text: string): boolean;
}

interface Piece extends Slice {
  /** What it is worth by the words that it holds, each of which counts once in a quotation. */
  worths: Map<string, number>;
  section: number;
}

interface Candidate extends Slice {
  pieces: number;
  worth: number;
}

/**
 * The part of a passage that best shows what it says on a question: whole sentences where they are short enough, and as
 * few of them as say enough. It holds no quotation mark, so that it can stand between two.
 * @param said what an answer says by this passage: its words are looked for, too
 */
export function quotationFrom(text: string, asked: Asked, said = ''): Slice {
  const pieces = piecesOf(text, asked, said);
  const candidates = pieces.flatMap((_piece, index) => [...slicesFrom(text, pieces, index)]);
  const enough = ENOUGH_SHARE * Math.max(0, ...candidates.map(({ worth }) => worth));
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    // Of those that say nothing the first one.
    if (candidate.worth >= enough && (!best || isBetter(candidate, best))) best = candidate;
  }
  return { start: best?.start ?? 0, end: best?.end ?? 0 };
}

/** The same of the part that an answer quotes: as much of it as there is room for, its sentences whole. */
export function quotationOf(text: string, quoted: Slice, asked: Asked): Slice {
  const [longest = quoted] = withoutQuotes(text, quoted).toSorted(
    (one, other) => other.end - other.start - (one.end - one.start),
  );
  const part = text.slice(longest.start, longest.end);
  const last = sentencesOf(part).findLast(({ end }) => end <= MOST_CHARACTERS);
  const { start, end } = last ? { start: 0, end: last.end } : quotationFrom(part, asked);
  return { start: longest.start + start, end: longest.start + end };
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.pieces !== other.pieces) return one.pieces < other.pieces;
  if (one.worth !== other.worth) return one.worth > other.worth;
  return one.worth > 0 && one.end - one.start < other.end - other.start;
}

function piecesOf(text: string, asked: Asked, said: string): Piece[] {
  const parts = tellingSentencesOf(text, MOST_CHARACTERS).flatMap((sentence) =>
    withoutQuotes(text, withoutMark(text, sentence))
      .flatMap((part) => withinLimit(text, part))
      .map((part) => ({ ...sentence, ...part })),
  );
  const told = parts.map(({ start, end }) => text.slice(start, end));
  const words = told.map((part, index) => [...new Set(asked.wordsIn(`${parts[index]!.above}\n${part}`))]);
  const saidTokens = new Set(tokensOf(said));
  const tokens = told.map((part) => [...new Set(tokensOf(part))].filter((token) => saidTokens.has(token)));
  const askedWorths = shares(new Map(words.flat().map((word) => [word, asked.weights.get(word) ?? 0])));
  const saidWorths = shares(rarities(tokens));
  return parts.map(({ start, end, section }, index) => ({
    ...{ start, end, section },
    worths: new Map([
      ...words[index]!.map((word): [string, number] => [`asked ${word}`, askedWorths.get(word)!]),
      ...tokens[index]!.map((token): [string, number] => [
        `said ${token}`,
        SAID_WEIGHT * saidWorths.get(token)!,
      ]),
    ]),
  }));
}

/** What stands in many of the parts tells little of any of them. */
function rarities(tokens: string[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens.flat()) counts.set(token, (counts.get(token) ?? 0) + 1);
  return new Map([...counts].map(([token, count]) => [token, 1 / count]));
}

function shares(worths: Map<string, number>): Map<string, number> {
  const sum = [...worths.values()].reduce((total, worth) => total + worth, 0);
  return new Map([...worths].map(([word, worth]) => [word, sum > 0 ? worth / sum : 0]));
}

/** The slices of one, two, three pieces that begin with this one, as far as they fit. */
function* slicesFrom(text: string, pieces: Piece[], index: number): Generator<Candidate> {
  const { start, section } = pieces[index]!;
  const seen = new Set<string>();
  let count = 0;
  let worth = 0;
  for (const { end, worths, section: own } of pieces.slice(index, index + MOST_SENTENCES)) {
    // No quotation goes on below another heading.
    if (own !== section) return;
    if (end - start > MOST_CHARACTERS || text.slice(start, end).includes('"')) return;
    for (const [word, share] of worths) if (!seen.has(word)) worth += share;
    for (const word of worths.keys()) seen.add(word);
    count += 1;
    yield { start, end, pieces: count, worth };
  }
}

function withoutQuotes(text: string, { start, end }: Slice): Slice[] {
  const pieces: Slice[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && text[at] !== '"') continue;
    const piece = trimmed(text, { start: from, end: at });
    if (piece.start < piece.end) pieces.push(piece);
    from = at + 1;
  }
  return pieces;
}

function withinLimit(text: string, { start, end }: Slice): Slice[] {
  if (end - start <= MOST_CHARACTERS) return [{ start, end }];
  const pieces: Slice[] = [];
  let from = start;
  let to = start;
  for (const { index, segment } of WORD.segment(text.slice(start, end))) {
    const wordEnd = start + index + segment.length;
    if (wordEnd - from > MOST_CHARACTERS && to > from) {
      pieces.push(trimmed(text, { start: from, end: to }));
      from = to;
    }
    to = wordEnd;
  }
  pieces.push(trimmed(text, { start: from, end }));
  return pieces.filter((piece) => piece.start < piece.end).flatMap((piece) => hardCut(text, piece));
}

/** A word that is longer than that alone; no character is cut in two. */
function hardCut(text: string, { start, end }: Slice): Slice[] {
  const pieces: Slice[] = [];
  for (let from = start; from < end;) {
    let to = Math.min(from + MOST_CHARACTERS, end);
    if (to < end && /[\udc00-\udfff]/.test(text[to]!)) to -= 1;
    pieces.push({ start: from, end: to });
    from = to;
  }
  return pieces;
}
