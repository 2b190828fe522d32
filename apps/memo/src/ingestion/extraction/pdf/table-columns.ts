import { type PageLine, type TextRun } from './page-line';

/**
 * Gaps are in units of the font size. A wider gap is not a space, even in justified text. At half justified
 * lines become rows; at twice narrow columns are missed.
 */
const MIN_COLUMN_GAP = 0.8;
/** TeX stretches the space after a sentence up to this width. */
const MIN_COLUMN_GAP_AFTER_SENTENCE = 1.5;
/** Largest ratio between the gaps of one justified line; spaces after a comma or colon are wider. */
const MAX_JUSTIFIED_GAP_RATIO = 1.5;
/** Smallest ratio between a column gap and the spaces of the line. With less, the gap may be a space too. */
const MIN_DISTINCT_GAP_RATIO = 2;
/** Distance up to which cells count as aligned. It tolerates rounding; at twice words of running text align by chance. */
const ALIGNMENT_TOLERANCE = 0.1;
const SENTENCE_END = /[.!?:]["”’')\]]*$/;
/** Bullets and numbers of list items, which have a gap before their text. */
const LIST_MARKER =
  /^(?:[^\p{L}\p{N}]|o|\(?[\da-zA-Z]{1,3}[.)]|\([ivxl]{1,6}\)|\d{1,3}(?:\.\d{1,3})*\.?|第[\d〇零一二三四五六七八九十百千]{1,6}[编章节条款项])$/u;

interface LineGaps {
  line: PageLine;
  /** The gap before each cell but the first. */
  gaps: number[];
  columns: boolean[];
  /** One word per cell and similar gaps: a row of figures, or a justified line of long words. */
  isEven: boolean;
  /** Whether the column gaps differ clearly from the other gaps, if there are any. */
  isDistinct: boolean;
}

/** Determines, for each line, after which of its cells a column ends. */
export function findColumns(lines: PageLine[]): boolean[][] {
  const candidates = lines.map(measureGaps);
  return candidates.map((one, index) => {
    const around = [candidates[index - 1], candidates[index + 1]];
    const isRow =
      isCertainRow(one) ||
      around.some(
        (other) => other && (hasSameColumns(one.line, other.line) || (one.isEven && isCertainRow(other))),
      );
    if (!isRow) return [];
    return one.columns.map(
      (isColumn, gap) =>
        isColumn &&
        (one.gaps[gap]! > MIN_COLUMN_GAP ||
          around.some((other) => other && hasCellAligned(one.line, gap + 1, other))),
    );
  });
}

function measureGaps(line: PageLine): LineGaps {
  const { cells, size } = line;
  const gaps = cells.slice(1).map((cell, index) => (cell.start - cells[index]!.end) / size);
  const columns = gaps.map(
    (gap, index) => gap > MIN_COLUMN_GAP_AFTER_SENTENCE || !SENTENCE_END.test(cells[index]!.text.trim()),
  );
  const mark = gapAfterListMarker(line);
  const hasColumns = columns.some(
    (isColumn, index) => isColumn && gaps[index]! > MIN_COLUMN_GAP && index !== mark,
  );
  const smallest = gaps.reduce((one, other) => Math.min(one, other), Infinity);
  const largest = gaps.reduce((one, other) => Math.max(one, other), 0);
  const isDistinct = smallest > MIN_COLUMN_GAP || largest > MIN_DISTINCT_GAP_RATIO * smallest;
  return {
    line,
    gaps,
    columns: hasColumns ? columns : [],
    isDistinct,
    isEven:
      largest < MAX_JUSTIFIED_GAP_RATIO * smallest && cells.every(({ text }) => !/\s/.test(text.trim())),
  };
}

const isCertainRow = ({ columns, isEven, isDistinct }: LineGaps): boolean =>
  !isEven && isDistinct && columns.includes(true);

/** Whether the cells of both lines start at the same positions or are centred on each other. */
function hasSameColumns(line: PageLine, other: PageLine): boolean {
  if (other.cells.length !== line.cells.length) return false;
  return line.cells.every((cell, index) => index === 0 || isAligned(cell, other.cells[index]!, line.size));
}

function isAligned(one: TextRun, other: TextRun, size: number): boolean {
  const tolerance = ALIGNMENT_TOLERANCE * size;
  return (
    Math.abs(one.start - other.start) < tolerance ||
    Math.abs(one.start + one.end - other.start - other.end) < 2 * tolerance
  );
}

/** Whether an adjacent row has a cell aligned with this one. */
function hasCellAligned(line: PageLine, cell: number, { line: other, columns }: LineGaps): boolean {
  return columns.includes(true) && other.cells.some((one) => isAligned(line.cells[cell]!, one, line.size));
}

/** Index of the gap between a list marker and its text, or -1. */
function gapAfterListMarker({ cells, isRightToLeft }: PageLine): number {
  const [mark, text] = isRightToLeft ? [cells.at(-1), cells.at(-2)] : cells;
  const read = isRightToLeft ? [...mark!.text.trim()].reverse().join('') : mark!.text.trim();
  if (!text || !LIST_MARKER.test(read) || !/\p{L}/u.test(text.text)) return -1;
  return isRightToLeft ? cells.length - 2 : 0;
}
