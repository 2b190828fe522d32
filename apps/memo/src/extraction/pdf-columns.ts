import { type Line } from './pdf-line';

/** In units of the size: a gap that is wider than a space, even in justified text. */
const GAP = 0.8;
/** Where a sentence ends, TeX stretches spaces up to here. */
const GAP_AFTER_SENTENCE = 1.5;
/** By this factor spaces of one justified line may differ: they are wider after a comma or a colon. */
const LOOSENESS = 1.5;
const TOLERANCE = 0.1;
const SENTENCE_END = /[.!?]["”’')\]]*$/;
/** Bullets and numbers stand apart from the text that they belong to. */
const MARK = /^(?:[•▪‣◦●○■–*·-]|\(?[\da-zA-Z]{1,3}[.)]|\d{1,3}(?:\.\d{1,3})*\.?)$/;

interface Candidate {
  line: Line;
  columns: boolean[];
  /** One word in each cell, and gaps much alike: a row of figures, or a justified line of long words. */
  isEven: boolean;
}

/** For each line, after which of its cells a column ends. */
export function columnsOf(lines: Line[]): boolean[][] {
  const candidates = lines.map(candidate);
  return candidates.map((one, index) => {
    const around = [candidates[index - 1], candidates[index + 1]];
    const isRow =
      !one.isEven || around.some((other) => other && (isCertain(other) || isAlike(one.line, other.line)));
    return isRow ? one.columns : [];
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
  const isEven = gaps.every((gap) => gap < LOOSENESS * least);
  return {
    line,
    columns: hasColumns && !(isEven && least < GAP) ? columns : [],
    isEven: isEven && cells.every(({ text }) => !/\s/.test(text.trim())),
  };
}

const isCertain = ({ columns, isEven }: Candidate): boolean => !isEven && columns.includes(true);

/** Whether the cells of both lines begin at the same places, or lie around them. */
function isAlike(line: Line, other: Line): boolean {
  if (other.cells.length !== line.cells.length) return false;
  const tolerance = TOLERANCE * line.size;
  return line.cells.slice(1).every(({ start, end }, index) => {
    const cell = other.cells[index + 1]!;
    return (
      Math.abs(cell.start - start) < tolerance ||
      Math.abs(cell.start + cell.end - start - end) < 2 * tolerance
    );
  });
}

/** The index of the gap between the mark of an item and its text, or -1. */
function gapAfterMark({ cells, isRightToLeft }: Line): number {
  const [mark, text] = isRightToLeft ? [cells.at(-1), cells.at(-2)] : cells;
  const read = isRightToLeft ? [...mark!.text.trim()].reverse().join('') : mark!.text.trim();
  if (!text || !MARK.test(read) || !/\p{L}/u.test(text.text)) return -1;
  return isRightToLeft ? cells.length - 2 : 0;
}
