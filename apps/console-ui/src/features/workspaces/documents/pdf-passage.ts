/** A part of a piece of text on a page; from 0 to 1 in the direction of its line. */
export interface Mark {
  item: number;
  from: number;
  to: number;
}

export interface FoundOnPage {
  marks: Mark[];
  /** How much of the passage is on the page, from 0 to 1. */
  share: number;
}

/**
 * Letters and digits per compared piece. The text of a document is put together from the pieces of its pages, so that a passage may
 * go over a page or a column. Half finds pieces by chance; twice loses more of a line at the end of a page.
 */
const PIECE_CHARS = 40;
/** A shorter piece occurs by chance in other places. Chinese says more in a character. */
const LEAST_CHARS = 6;

/** What is compared: the pages have other spaces, line breaks and hyphens than the text of the document. */
const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The passage in pieces that are looked for one by one. */
function piecesOf(passage: string): string[] {
  const pieces = passage.split('\n').flatMap((line) => {
    const text = comparable(line);
    const count = Math.max(1, Math.floor(text.length / PIECE_CHARS));
    const length = Math.ceil(text.length / count);
    return Array.from({ length: count }, (_, n) => text.slice(n * length, (n + 1) * length));
  });
  const long = pieces.filter((piece) => piece.length >= LEAST_CHARS);
  return long.length > 0 ? long : pieces.filter((piece) => piece !== '');
}

/** Finds a passage in the pieces of text of a page. */
export function findOnPage(items: readonly string[], passage: string): FoundOnPage {
  const starts: number[] = [];
  let page = '';
  for (const item of items) {
    starts.push(page.length);
    page += comparable(item);
  }
  const pieces = piecesOf(passage);
  const all = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const marks: Mark[] = [];
  let found = 0;
  let next = 0;
  // The same words may occur more often in the passage than on the page, such as those at its head.
  const marked = new Set<number>();
  for (const piece of pieces) {
    const after = page.indexOf(piece, next);
    const at = after < 0 ? page.indexOf(piece) : after;
    if (at < 0) continue;
    next = at + piece.length;
    found += piece.length;
    if (!marked.has(at)) marks.push(...marksOf(starts, page.length, at, next));
    marked.add(at);
  }
  return { marks, share: all === 0 ? 0 : found / all };
}

/** The parts of items in which the letters from `at` to `end` are. */
function marksOf(starts: readonly number[], length: number, at: number, end: number): Mark[] {
  return starts.flatMap((start, item) => {
    const stop = starts[item + 1] ?? length;
    if (stop <= at || start >= end || stop === start) return [];
    const place = (letter: number) => Math.min(1, Math.max(0, (letter - start) / (stop - start)));
    return [{ item, from: place(at), to: place(end) }];
  });
}

/** Pages around the one that is most likely, nearest first. */
export function pagesFrom(likely: number, count: number): number[] {
  const pages = Array.from({ length: count }, (_, index) => index + 1);
  return pages.sort((one, other) => Math.abs(one - likely) - Math.abs(other - likely) || one - other);
}
