import { type Line } from './pdf-line';

/** A document of less pages has no headers that would be in the way, nor has a page of less lines. */
const MIN_PAGES = 3;
const MIN_LINES = 4;
/** Pages on the left and on the right often have headers of their own. */
const PAGES_BACK = 2;
/** In units of the size. */
const SAME_HEIGHT = 0.2;

/**
 * Leaves out headers and footers: the first and the last line of a page, if they stand at the same height, in the same
 * words, on one of the two pages before. So the first of them stays in the text, once.
 */
export class PageEdges {
  /** Of the pages before, the nearest first. */
  private before: Line[][] = [];

  constructor(private readonly pages: number) {}

  without(lines: Line[]): Line[] {
    if (this.pages < MIN_PAGES || lines.length < MIN_LINES) return lines;
    const edges = [
      lines.reduce((top, line) => (line.across < top.across ? line : top)),
      lines.reduce((bottom, line) => (line.across > bottom.across ? line : bottom)),
    ];
    const repeated = edges.filter((line) =>
      this.before.some((page, index) => page.some((other) => isRepeated(line, other, index + 1))),
    );
    this.before = [edges, ...this.before].slice(0, PAGES_BACK);
    return lines.filter((line) => !repeated.includes(line));
  }
}

/** Numbers may have grown by as many as there are pages between: other ones are no page numbers. */
function isRepeated(line: Line, other: Line, pages: number): boolean {
  if (line.angle !== other.angle || Math.abs(line.across - other.across) > SAME_HEIGHT * line.size)
    return false;
  const parts = line.text.split(/(\d+)/);
  const others = other.text.split(/(\d+)/);
  return (
    parts.length === others.length &&
    parts.every(
      (part, index) =>
        part === others[index] || (index % 2 === 1 && Number(part) === Number(others[index]) + pages),
    )
  );
}
