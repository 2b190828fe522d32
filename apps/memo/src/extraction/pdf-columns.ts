import { type Line, type Piece } from './pdf-line';

/** In units of the size: a gap that is wider than a space, even in justified text. */
const GAP = 0.8;
/** Where a sentence ends, TeX stretches spaces up to here. */
const GAP_AFTER_SENTENCE = 1.5;
/** No justified line is as loose as this. */
const CERTAIN_GAP = 2.5;
const TOLERANCE = 0.1;
const SENTENCE_END = /[.!?:;]$/;
/** Bullets and numbers stand apart from the text that they belong to. */
const MARK = /^(?:[•▪‣◦●○■–*·-]|\(?[\da-zA-Z]{1,3}[.)]|\d{1,3}(?:\.\d{1,3})*\.?)$/;

/** For each cell but the last, whether a column ends after it. */
export function columnsOf(line: Line, before: Line | undefined, after: Line | undefined): boolean[] {
  const gaps = line.cells.slice(1).map((cell, index) => (cell.start - line.cells[index]!.end) / line.size);
  if (mayBeJustified(line, gaps) && !isAlike(line, before) && !isAlike(line, after)) return [];
  if (gaps.length === 1 && beginsWithMark(line)) return [];
  const columns = gaps.map((gap, index) => !isWithinText(line.cells[index]!, gap));
  return columns.some((isColumn, index) => isColumn && gaps[index]! > GAP) ? columns : [];
}

/** One word in each cell, and all gaps alike. */
function mayBeJustified({ cells }: Line, gaps: number[]): boolean {
  const [first = 0] = gaps;
  return (
    first < CERTAIN_GAP &&
    gaps.every((gap) => Math.abs(gap - first) < TOLERANCE) &&
    cells.every(({ text }) => !/\s/.test(text.trim()))
  );
}

function isWithinText(cell: Piece, gap: number): boolean {
  return gap < GAP_AFTER_SENTENCE && SENTENCE_END.test(cell.text.trim());
}

/** Whether the cells of both lines begin at the same places, or lie around them. */
function isAlike(line: Line, other: Line | undefined): boolean {
  if (!other || other.cells.length !== line.cells.length) return false;
  const tolerance = TOLERANCE * line.size;
  return line.cells.slice(1).every(({ start, end }, index) => {
    const cell = other.cells[index + 1]!;
    return (
      Math.abs(cell.start - start) < tolerance ||
      Math.abs(cell.start + cell.end - start - end) < 2 * tolerance
    );
  });
}

function beginsWithMark({ cells, isRightToLeft }: Line): boolean {
  const [mark, text] = isRightToLeft ? [cells.at(-1), cells.at(-2)] : cells;
  return MARK.test(mark!.text.trim()) && /\p{L}/u.test(text!.text);
}
