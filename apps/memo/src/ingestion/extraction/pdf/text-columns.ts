import { type PageLine } from './page-line';
import { findColumns } from './table-columns';

/** Lengths are in units of the font size unless they are ratios. Starts of lines in a column differ by rounding and by an indent. */
const MAX_INDENT = 2;
const MIN_GUTTER = 0.6;
const MAX_LINE_GAP = 2;
/** Columns of prose have even lines. The rows of a table, whose cells have several lines, are further apart. */
const MAX_GAP_RATIO = 1.25;
const SIZE_TOLERANCE = 0.15;
/** Fewer lines may be a table whose cells are sentences. */
const MIN_LINES = 4;
/** Newspapers have up to eight. Bounds the depth of the search. */
const MAX_COLUMNS = 8;
/** Of prose that is set in columns. Cells of tables are shorter. */
const MIN_CHARACTERS = 20;
const MIN_WIDE_CHARACTERS = 10;
/** Share of the lines that fill their column, and of those that go on where the line before them stopped. Cells do neither. */
const MIN_FILLED_SHARE = 0.6;
const FILLED = 0.8;
const MIN_CONTINUED_SHARE = 0.4;
const SENTENCE_END = /[.!?:;。！？：；]["”’')\]]*$/u;
/** Cells in lower case, such as words of a glossary, are no sentences. */
const SENTENCE_START = /^["“„‘«(]?[\p{Lu}\p{Lt}\u2e80-\u9fff\uac00-\ud7af]/u;
/** Characters. Less may be two cells of two lines. */
const MIN_SENTENCES = 20;
const GOES_ON = /^[^\p{Lu}\p{Lt}\p{Nd}]/u;
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af]/u;

/**
 * Puts the lines of columns of prose, which some programs draw line by line across the page, one column after the other.
 * @param columns for each line, after which of its cells a column ends
 * @param most columns beside each other
 */
export function separateColumns(lines: PageLine[], columns: boolean[][], most = MAX_COLUMNS): PageLine[] {
  const separated: PageLine[] = [];
  for (let at = 0; at < lines.length;) {
    const { left, right, height } = blockAt(lines, columns, at);
    const isColumns = most > 1 && isText(left) && isText(right);
    // The right part may have columns itself.
    const read = isColumns
      ? [...left, ...separateColumns(right, findColumns(right), most - 1)]
      : lines.slice(at, at + height);
    for (const line of read) separated.push(line);
    // Lines that are a table are not looked at again: a page may have thousands.
    at += height;
  }
  return separated;
}

interface Block {
  left: PageLine[];
  right: PageLine[];
  /** How many lines of the page it takes. */
  height: number;
}

function blockAt(lines: PageLine[], columns: boolean[][], first: number): Block {
  const line = lines[first]!;
  const place = columns[first]!.indexOf(true);
  if (place < 0 || line.hasRightToLeft) return { left: [], right: [], height: 1 };
  const start = line.cells[place + 1]!.start;
  const left: PageLine[] = [];
  const right: PageLine[] = [];
  let height = 0;
  let usual = MAX_LINE_GAP;
  for (let before: PageLine | undefined; first + height < lines.length; height++) {
    const next = lines[first + height]!;
    const gap = before ? gapBetween(before, next) : 0;
    const parts = gap > usual * MAX_GAP_RATIO ? undefined : partsOf(next, start);
    if (!parts) break;
    if (height === 1) usual = gap;
    if (parts[0].cells.length > 0) left.push(parts[0]);
    if (parts[1].cells.length > 0) right.push(parts[1]);
    before = next;
  }
  return { left, right, height: Math.max(1, height) };
}

/** The distance to the next line of a column, or Infinity if the line belongs to something else. */
function gapBetween(before: PageLine, line: PageLine): number {
  const gap = (line.baseline - before.baseline) / line.size;
  const isAlike =
    before.angle === line.angle && Math.abs(before.size - line.size) < SIZE_TOLERANCE * line.size;
  return isAlike && gap > 0 ? gap : Infinity;
}

/** The parts of a line before and behind the gutter; undefined if its text goes across. */
function partsOf(line: PageLine, start: number): [left: PageLine, right: PageLine] | undefined {
  if (line.hasRightToLeft) return undefined;
  const { cells, size } = line;
  const place = cells.findIndex((cell) => cell.end > start);
  const count = place < 0 ? cells.length : place;
  const begin = cells[count]?.start ?? start;
  const end = cells[count - 1]?.end ?? -Infinity;
  if (begin < start - size / 2 || begin > start + MAX_INDENT * size) return undefined;
  if (end > start - MIN_GUTTER * size) return undefined;
  return [line.part(cells.slice(0, count)), line.part(cells.slice(count))];
}

function isText(lines: PageLine[]): boolean {
  const texts = lines.map(({ cells }) =>
    cells
      .map(({ text }) => text)
      .join(' ')
      .trim(),
  );
  return isSentences(texts) || isProse(lines, texts);
}

/** Whether the lines, few or ragged as they may be, are sentences that go on from line to line. */
function isSentences(texts: string[]): boolean {
  const [first = '', last = ''] = [texts[0], texts.at(-1)];
  if (!SENTENCE_START.test(first) || !SENTENCE_END.test(last) || texts.join(' ').length < MIN_SENTENCES)
    return false;
  const open = texts.slice(1).filter((_, index) => !SENTENCE_END.test(texts[index]!));
  const continued = open.filter((text) => GOES_ON.test(text)).length;
  return continued > open.length - continued;
}

function isProse(lines: PageLine[], texts: string[]): boolean {
  if (lines.length < MIN_LINES) return false;
  const characters = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  if (characters < (WIDE.test(texts[0]!) ? MIN_WIDE_CHARACTERS : MIN_CHARACTERS)) return false;
  const from = Math.min(...lines.map(({ cells }) => cells[0]!.start));
  const to = Math.max(...lines.map(({ cells }) => cells.at(-1)!.end));
  const filled = lines.filter(({ cells }) => cells.at(-1)!.end > from + FILLED * (to - from)).length;
  const continued = texts.filter(
    (text, index) => index > 0 && !SENTENCE_END.test(texts[index - 1]!) && GOES_ON.test(text),
  ).length;
  return filled >= MIN_FILLED_SHARE * lines.length && continued >= MIN_CONTINUED_SHARE * (lines.length - 1);
}
