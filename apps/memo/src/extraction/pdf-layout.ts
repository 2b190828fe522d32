import { columnsOf } from './pdf-columns';
import { Line, type PdfItem } from './pdf-line';

interface Paragraph {
  text: string;
  /** A row of a table, with marks between its cells. */
  isRow: boolean;
}

const LIST_MARK = /^(?:[•▪‣◦●○■–*·-]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s)/;
const BROKEN_WORD = /\p{L}[-\u00ad\u2010]$/u;
const LOWER_CASE_START = /^\p{Ll}/u;
const SENTENCE_END = /[.!?:;。！？：；”’"')\]]$/u;
const HANGING = 0.1;
const GAP_TOLERANCE = 1.35;
const DEFAULT_GAP = 1.3;
const MAX_GAP = 3;
const SIZE_TOLERANCE = 0.15;
const INDENT = 0.9;

/** Lines and paragraphs of one page, in the order in which the page draws them. */
export class PageLayout {
  length = 0;
  private readonly lines: Line[] = [];
  private line: Line | undefined;

  add(item: PdfItem): void {
    if (item.str.trim() !== '') this.line ??= new Line(item);
    this.line?.add(item);
    this.length += item.str.length;
    if (item.hasEOL) this.endLine();
  }

  paragraphs(): Paragraph[] {
    this.endLine();
    this.compose();
    const paragraphs: Paragraph[] = [];
    const gap = usualGap(this.lines);
    let before: Line | undefined;
    for (const line of this.lines) {
      const last = paragraphs.at(-1);
      if (before && last && continues(before, line, gap)) last.text = join(last.text, line.text);
      else paragraphs.push({ text: line.text, isRow: line.isRow });
      before = line;
    }
    return paragraphs;
  }

  private endLine(): void {
    if (this.line) {
      this.line.end();
      this.lines.push(this.line);
    }
    this.line = undefined;
  }

  private compose(): void {
    const leaning = this.lines.reduce((sum, line) => sum + line.leaning, 0);
    for (const line of this.lines) {
      line.isRightToLeft = line.hasRightToLeft && (line.leaning > 0 || leaning > 0);
    }
    const columns = columnsOf(this.lines);
    for (const [index, line] of this.lines.entries()) line.compose(columns[index]!);
  }
}

/** The median distance between lines in units of their size: double-spaced pages have paragraphs too. */
function usualGap(lines: Line[]): number {
  const gaps: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const gap = before ? (line.across - before.across) / line.size : 0;
    if (gap > 0.5 && gap < MAX_GAP) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  return gaps[gaps.length >> 1] ?? DEFAULT_GAP;
}

function continues(before: Line, line: Line, usual: number): boolean {
  if (line.isRow || LIST_MARK.test(line.text)) return false;
  if (before.isRow && !hangsFrom(before, line)) return false;
  if (Math.abs(before.angle - line.angle) > 0.01) return false;
  if (Math.abs(before.size - line.size) > SIZE_TOLERANCE * Math.max(before.size, line.size)) return false;
  const gap = (line.across - before.across) / line.size;
  // Upwards: the next column, where a sentence may go on.
  if (gap < -0.5) return !SENTENCE_END.test(before.text) && !/^\p{Lu}/u.test(line.text);
  if (gap > usual * GAP_TOLERANCE) return false;
  return line.start - before.start < INDENT * line.size || !SENTENCE_END.test(before.text);
}

/** Whether it goes on below a cell of that row. */
const hangsFrom = (row: Line, line: Line): boolean =>
  row.cells.slice(1).some(({ start }) => Math.abs(start - line.start) < HANGING * line.size);

function join(before: string, after: string): string {
  if (BROKEN_WORD.test(before) && LOWER_CASE_START.test(after)) return before.slice(0, -1) + after;
  return `${before}\n${after}`; // the writer makes a space of it, or nothing between Chinese characters
}
