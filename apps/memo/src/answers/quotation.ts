import { type Slice, sentencesOf, trimmed } from './sentences';

const MOST_CHARACTERS = 300;
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
  words: string[];
}

/**
 * The part of a passage that best shows what it says on a question: whole sentences where they are short enough. It
 * holds no quotation mark, so that it can stand between two.
 */
export function quotationFrom(text: string, asked: Asked): Slice {
  const pieces = sentencesOf(text)
    .flatMap((sentence) => withoutQuotes(text, sentence))
    .flatMap((piece) => withinLimit(text, piece))
    .map((piece) => ({ ...piece, words: [...asked.wordsIn(text.slice(piece.start, piece.end))] }));
  let best = { start: 0, end: 0, worth: -1 };
  pieces.forEach((_piece, index) => {
    for (const slice of slicesFrom(text, pieces, index, asked)) {
      const isBetter = slice.worth > best.worth;
      const isShorter = slice.worth === best.worth && slice.end - slice.start < best.end - best.start;
      // Of those that say nothing of the question the first one.
      if (isBetter || (isShorter && slice.worth > 0)) best = slice;
    }
  });
  return { start: best.start, end: best.end };
}

/** The slices that begin with a piece and go on for one, two, three of them, as far as they fit. */
function* slicesFrom(text: string, pieces: Piece[], index: number, { weights }: Asked) {
  const { start } = pieces[index]!;
  const seen = new Set<string>();
  let worth = 0;
  for (const { end, words } of pieces.slice(index)) {
    if (end - start > MOST_CHARACTERS || text.slice(start, end).includes('"')) return;
    for (const word of words) if (!seen.has(word)) worth += weights.get(word) ?? 0;
    for (const word of words) seen.add(word);
    yield { start, end, worth };
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
