import { type Line, type Piece } from './pdf-line';

/** In units of the size: a gap that is wider than a space, even in justified text. */
const GAP = 0.8;
/** Where a sentence ends, TeX stretches spaces up to here. */
const GAP_AFTER_SENTENCE = 1.5;
/** By this factor spaces of one justified line may differ: they are wider after a comma or a colon. */
const LOOSENESS = 1.5;
/** By less the gap of a column does not exceed a space that could be one, too. */
const DISTINCTNESS = 2;
const TOLERANCE = 0.1;
const SENTENCE_END = /[.!?:]["”’')\]]*$/;
/** Bullets, of whatever font, and numbers stand apart from the text that they belong to. */
const MARK =
  /^(?:[^\p{L}\p{N}]|o|\(?[\da-zA-Z]{1,3}[.)]|\([ivxl]{1,6}\)|\d{1,3}(?:\.\d{1,3})*\.?|第[\d〇零一二三四五六七八九十百千]{1,6}[编章节条款项])$/u;

interface Candidate {
  line: Line;
  /** Before each cell but the first. */
  gaps: number[];
  columns: boolean[];
  /** One word in each cell, and gaps much alike: a row of figures, or a justified line of long words. */
  isEven: boolean;
  /** The gaps of columns differ from the others, if there are others. */
  isDistinct: boolean;
}

/** For each line, after which of its cells a column ends. */
export function columnsOf(lines: Line[]): boolean[][] {
  const candidates = lines.map(candidate);
  return candidates.map((one, index) => {
    const around = [candidates[index - 1], candidates[index + 1]];
    const isRow =
      isCertain(one) ||
      around.some((other) => other && (isAlike(one.line, other.line) || (one.isEven && isCertain(other))));
    if (!isRow) return [];
    return one.columns.map(
      (isColumn, gap) =>
        isColumn &&
        (one.gaps[gap]! > GAP || around.some((other) => other && standsAbove(one.line, gap + 1, other))),
    );
  });
}

function candidate(line: Line): Candidate {
  const { cells, size } = line;
  const gaps = cells.slice(1).map((cell, index) => (cell.start - cells[index]!.end) / size);
  const columns = gaps.map(
    (gap, index) => gap > GAP_AFTER_SENTENCE || !SENTENCE_END.test(cells[index]!.text.trim()),
  );
  const mark = gapAfterMark(line);
  const hasColumns = columns.some((isColumn, index) => isColumn && gaps[index]! > GAP && index !== mark);
  const least = gaps.reduce((one, other) => Math.min(one, other), Infinity);
  const most = gaps.reduce((one, other) => Math.max(one, other), 0);
  const isDistinct = least > GAP || most > DISTINCTNESS * least;
  return {
    line,
    gaps,
    columns: hasColumns ? columns : [],
    isDistinct,
    isEven: most < LOOSENESS * least && cells.every(({ text }) => !/\s/.test(text.trim())),
  };
}

const isCertain = ({ columns, isEven, isDistinct }: Candidate): boolean =>
  !isEven && isDistinct && columns.includes(true);

/** Whether the cells of both lines begin at the same places, or lie around them. */
function isAlike(line: Line, other: Line): boolean {
  if (other.cells.length !== line.cells.length) return false;
  return line.cells.every((cell, index) => index === 0 || isInLine(cell, other.cells[index]!, line.size));
}

function isInLine(one: Piece, other: Piece, size: number): boolean {
  const tolerance = TOLERANCE * size;
  return (
    Math.abs(one.start - other.start) < tolerance ||
    Math.abs(one.start + one.end - other.start - other.end) < 2 * tolerance
  );
}

/** Whether a row beside a line has such a cell. */
function standsAbove(line: Line, cell: number, { line: other, columns }: Candidate): boolean {
  return columns.includes(true) && other.cells.some((one) => isInLine(line.cells[cell]!, one, line.size));
}

/** The index of the gap between the mark of an item and its text, or -1. */
function gapAfterMark({ cells, isRightToLeft }: Line): number {
  const [mark, text] = isRightToLeft ? [cells.at(-1), cells.at(-2)] : cells;
  const read = isRightToLeft ? [...mark!.text.trim()].reverse().join('') : mark!.text.trim();
  if (!text || !MARK.test(read) || !/\p{L}/u.test(text.text)) return -1;
  return isRightToLeft ? cells.length - 2 : 0;
}
