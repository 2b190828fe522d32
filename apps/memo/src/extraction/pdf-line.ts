import { drawn, isRightToLeft, leaning, read } from './right-to-left';
import { withoutStandIns } from './stand-ins';

export interface PdfItem {
  str: string;
  dir: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
}

/** Where it stands is measured along the direction of writing, so that rotated text is treated like any other. */
export interface Piece {
  text: string;
  start: number;
  end: number;
}

/** In units of the size. What has a wider gap before it could be a cell of a row. */
const CELL_GAP = 0.35;
const SPACE = 0.15;

/** Items that stand side by side on a page. */
export class Line {
  readonly size: number;
  readonly angle: number;
  /** Grows downwards. */
  readonly across: number;
  cells: Piece[] = [];
  /** Letters that run to the left less those that run to the right. */
  leaning = 0;
  hasRightToLeft = false;
  isRightToLeft = false;
  isRow = false;
  text = '';
  private readonly pieces: Piece[] = [];
  private readonly cos: number;
  private readonly sin: number;

  constructor(first: PdfItem) {
    const [a = 1, b = 0, , , x = 0, y = 0] = first.transform;
    this.angle = Math.atan2(b, a);
    this.cos = Math.cos(this.angle);
    this.sin = Math.sin(this.angle);
    this.size = first.height || Math.hypot(a, b) || 1;
    this.across = x * this.sin - y * this.cos;
  }

  /** Of the margin at which the line begins, on whichever side that is; it grows with the indent. */
  get start(): number {
    return this.isRightToLeft ? -this.cells.at(-1)!.end : this.cells[0]!.start;
  }

  add({ str, dir, width, transform }: PdfItem): void {
    const last = this.pieces.at(-1);
    if (last && str.trim() === '') last.text += str;
    else {
      const start = (transform[4] ?? 0) * this.cos + (transform[5] ?? 0) * this.sin;
      const turned = dir === 'rtl' || isRightToLeft(str);
      this.hasRightToLeft ||= turned;
      this.pieces.push({ text: turned ? drawn(str, dir) : str, start, end: start + width });
    }
  }

  end(): void {
    for (const piece of this.hasRightToLeft ? fromLeftToRight(this.pieces) : this.pieces) {
      const cell = this.cells.at(-1);
      const gap = cell ? (piece.start - cell.end) / this.size : Infinity;
      if (!cell || gap > CELL_GAP) this.cells.push({ ...piece });
      else {
        const isApart = this.hasRightToLeft && gap > SPACE && piece.end > piece.start;
        cell.text += isApart ? ` ${piece.text}` : piece.text;
        cell.end = Math.max(cell.end, piece.end);
      }
    }
    this.pieces.length = 0;
    if (this.hasRightToLeft) this.leaning = leaning(this.cells.map(({ text }) => text).join(''));
  }

  /** Makes the text of the cells; `columns` says after which of them a column ends. */
  compose(columns: boolean[]): void {
    const texts: string[] = [];
    for (const [index, { text }] of this.cells.entries()) {
      if (index === 0 || columns[index - 1]) texts.push(text);
      else texts.push(texts.pop()! + (this.hasRightToLeft ? ' ' : '') + text);
    }
    if (this.isRightToLeft) texts.reverse();
    const dir = this.isRightToLeft ? 'rtl' : 'ltr';
    this.text = texts
      .map((text) => withoutStandIns(this.hasRightToLeft ? read(text, dir) : text).trim())
      .join(' | ');
    this.isRow = texts.length > 1;
  }
}

/** Some producers draw cells or words from the right to the left; marks may stand a little before their letter. */
function fromLeftToRight(pieces: Piece[]): Piece[] {
  const stretches: Piece[][] = [];
  let before: Piece | undefined;
  for (const piece of pieces) {
    if (before && piece.end > before.start) stretches.at(-1)!.push(piece);
    else stretches.push([piece]);
    before = piece;
  }
  return stretches.sort((a, b) => a[0]!.start - b[0]!.start).flat();
}
