import { toVisualOrder, isRightToLeft, rightToLeftSurplus, toLogicalOrder } from './bidirectional-text';
import { replaceCompatibilityCharacters } from './compatibility-characters';

export interface PdfItem {
  str: string;
  dir: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
}

/** Text at a position along the writing direction, so that rotated text is treated like other text. */
export interface TextRun {
  text: string;
  start: number;
  end: number;
}

/**
 * In units of the font size. Text after a wider gap may be a separate cell. At half spaces become cells; at
 * twice narrow columns are joined.
 */
const MIN_CELL_GAP = 0.35;
/** In right-to-left text a wider gap is a space. It is half the width of an ordinary space. */
const MIN_SPACE_GAP = 0.15;

/** Text items on the same baseline. */
export class PageLine {
  readonly size: number;
  readonly angle: number;
  /** Position across the writing direction; increases downwards. */
  readonly baseline: number;
  cells: TextRun[] = [];
  /** Right-to-left letters minus left-to-right letters. */
  rightToLeftSurplus = 0;
  hasRightToLeft = false;
  isRightToLeft = false;
  isRow = false;
  text = '';
  private readonly runs: TextRun[] = [];
  private readonly cos: number;
  private readonly sin: number;

  constructor(first: PdfItem) {
    const [a = 1, b = 0, , , x = 0, y = 0] = first.transform;
    this.angle = Math.atan2(b, a);
    this.cos = Math.cos(this.angle);
    this.sin = Math.sin(this.angle);
    this.size = first.height || Math.hypot(a, b) || 1;
    this.baseline = x * this.sin - y * this.cos;
  }

  /** Indent from the margin at which the line starts, which is the right one for right-to-left text. */
  get start(): number {
    return this.isRightToLeft ? -this.cells.at(-1)!.end : this.cells[0]!.start;
  }

  add({ str, dir, width, transform }: PdfItem): void {
    const last = this.runs.at(-1);
    if (last && str.trim() === '') last.text += str;
    else {
      const start = (transform[4] ?? 0) * this.cos + (transform[5] ?? 0) * this.sin;
      const turned = dir === 'rtl' || isRightToLeft(str);
      this.hasRightToLeft ||= turned;
      this.runs.push({ text: turned ? toVisualOrder(str, dir) : str, start, end: start + width });
    }
  }

  end(): void {
    for (const piece of this.hasRightToLeft ? sortLeftToRight(this.runs) : this.runs) {
      const cell = this.cells.at(-1);
      const gap = cell ? (piece.start - cell.end) / this.size : Infinity;
      if (!cell || gap > MIN_CELL_GAP) this.cells.push({ ...piece });
      else {
        const isApart = this.hasRightToLeft && gap > MIN_SPACE_GAP && piece.end > piece.start;
        cell.text += isApart ? ` ${piece.text}` : piece.text;
        cell.end = Math.max(cell.end, piece.end);
      }
    }
    this.runs.length = 0;
    if (this.hasRightToLeft)
      this.rightToLeftSurplus = rightToLeftSurplus(this.cells.map(({ text }) => text).join(''));
  }

  /** Joins the cells to the text of the line. `columns` tells after which cells a column ends. */
  compose(columns: boolean[]): void {
    const texts: string[] = [];
    for (const [index, { text }] of this.cells.entries()) {
      if (index === 0 || columns[index - 1]) texts.push(text);
      else texts.push(texts.pop()! + (this.hasRightToLeft ? ' ' : '') + text);
    }
    if (this.isRightToLeft) texts.reverse();
    const dir = this.isRightToLeft ? 'rtl' : 'ltr';
    this.text = texts
      .map((text) =>
        replaceCompatibilityCharacters(this.hasRightToLeft ? toLogicalOrder(text, dir) : text).trim(),
      )
      .join(' | ');
    this.isRow = texts.length > 1;
  }
}

/** Some producers draw cells or words from right to left. Marks may start slightly before their letter. */
function sortLeftToRight(runs: TextRun[]): TextRun[] {
  const stretches: TextRun[][] = [];
  let before: TextRun | undefined;
  for (const piece of runs) {
    if (before && piece.end > before.start) stretches.at(-1)!.push(piece);
    else stretches.push([piece]);
    before = piece;
  }
  return stretches.sort((a, b) => a[0]!.start - b[0]!.start).flat();
}
