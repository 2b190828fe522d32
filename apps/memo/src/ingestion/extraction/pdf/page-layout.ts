import { findColumns } from './table-columns';
import { type PageEntry } from './annotations';
import { PageLine, type PdfItem } from './page-line';
import { separateColumns } from './text-columns';

interface Paragraph {
  text: string;
  /** A table row, with separators between its cells. */
  isRow: boolean;
}

const LIST_MARKER = /^(?:[•▪‣◦●○■–*·-]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s)/;
const BROKEN_WORD = /\p{L}[-\u00ad\u2010]$/u;
/** A hyphen of the word itself: the word has another one, or a number, a name or a capital follows. */
const COMPOUND = /[\p{L}\p{N}][-\u2010\u2011]\p{L}+[-\u2010]$/u;
const HYPHENATED = /[\p{L}\p{N}][-\u2010]$/u;
const PART_OF_COMPOUND = /^[\p{Lu}\p{N}]/u;
/** In `Ein- und Ausgang` the hyphen stands for the rest of a word. */
const CONJUNCTION = /^(?:und|oder|bzw|sowie|and|och|eller|og)(?![\p{L}\p{N}])/u;
const LOWER_CASE_START = /^\p{Ll}/u;
const SENTENCE_END = /[.!?:;。！？：；”’"')\]]$/u;
/** Lengths and distances are in units of the font size unless they are ratios. At twice the tolerance other cells match. */
const CELL_ALIGNMENT_TOLERANCE = 0.1;
/** A line belongs to the paragraph up to this multiple of the median line gap. It lies between a line gap (1) and a blank line (2). */
const MAX_LINE_GAP_RATIO = 1.35;
/** Assumed line gap of a page with too few lines; the usual one of word processors is 1.15 to 1.5. */
const DEFAULT_LINE_GAP = 1.3;
/** Gaps outside this range are not line gaps: superscripts below it, gaps between blocks above it. */
const MIN_MEASURED_LINE_GAP = 0.5;
const MAX_MEASURED_LINE_GAP = 3;
/** Relative difference of font sizes up to which lines belong together. At half rounding separates lines; at twice small headings join the text. */
const SIZE_TOLERANCE = 0.15;
/** Radians. Tolerates rounding in the matrix of an item. */
const ANGLE_TOLERANCE = 0.01;
/** A line indented by this much starts a paragraph. Indents are at least one em. */
const PARAGRAPH_INDENT = 0.9;

/** Font size of an entry whose field is higher than a line. */
const MAX_ENTRY_SIZE = 12;

/** Joins the text items of a page to lines and paragraphs, in the order of the page's content. */
export class PageLayout {
  length = 0;
  private lines: PageLine[] = [];
  private line: PageLine | undefined;

  add(item: PdfItem): void {
    if (item.str.trim() !== '') this.line ??= new PageLine(item);
    this.line?.add(item);
    this.length += item.str.length;
    if (item.hasEOL) this.endLine();
  }

  /** Adds what a form field or an annotation shows to the line beside which it stands, or after all lines. */
  addEntry({ lines, left, bottom, top }: PageEntry): void {
    this.endLine();
    const [first = '', ...rest] = lines;
    const beside = rest.length > 0 ? undefined : this.lineBeside(left, bottom, top);
    this.length += first.length;
    if (beside) return beside.append({ text: first, start: left, end: left });
    const size = Math.min(top - bottom, MAX_ENTRY_SIZE) || 1;
    for (const [row, str] of [first, ...rest].entries())
      this.add({
        str,
        width: 0,
        height: size,
        transform: [size, 0, 0, size, left, top - size * (1 + row * DEFAULT_LINE_GAP)],
        hasEOL: true,
        part: 0,
      });
  }

  private lineBeside(left: number, bottom: number, top: number): PageLine | undefined {
    return this.lines
      .filter(
        ({ angle, baseline, cells }) =>
          Math.abs(angle) < ANGLE_TOLERANCE &&
          -baseline > bottom - (top - bottom) / 2 &&
          -baseline < top &&
          cells.at(-1)!.end < left + (top - bottom),
      )
      .sort((one, other) => other.cells.at(-1)!.end - one.cells.at(-1)!.end)[0];
  }

  paragraphs(): Paragraph[] {
    this.endLine();
    this.compose();
    const paragraphs: Paragraph[] = [];
    const gap = medianLineGap(this.lines);
    let before: PageLine | undefined;
    for (const line of this.lines) {
      const last = paragraphs.at(-1);
      if (before && last && continuesParagraph(before, line, gap)) last.text = join(last.text, line.text);
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
    const leaning = this.lines.reduce((sum, line) => sum + line.rightToLeftSurplus, 0);
    for (const line of this.lines) {
      line.isRightToLeft = line.hasRightToLeft && (line.rightToLeftSurplus > 0 || leaning > 0);
    }
    this.lines = separateColumns(this.lines, findColumns(this.lines));
    const columns = findColumns(this.lines);
    for (const [index, line] of this.lines.entries()) line.compose(columns[index]!);
  }
}

/**
 * The median distance between lines, in units of the font size. It depends on the page, so that double-spaced pages
 * have paragraphs too.
 */
function medianLineGap(lines: PageLine[]): number {
  const gaps: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const gap = before ? (line.baseline - before.baseline) / line.size : 0;
    if (gap > MIN_MEASURED_LINE_GAP && gap < MAX_MEASURED_LINE_GAP) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  return gaps[gaps.length >> 1] ?? DEFAULT_LINE_GAP;
}

function continuesParagraph(before: PageLine, line: PageLine, usual: number): boolean {
  if (line.isRow || LIST_MARKER.test(line.text)) return false;
  if (before.isRow && !continuesCell(before, line)) return false;
  if (Math.abs(before.angle - line.angle) > ANGLE_TOLERANCE) return false;
  if (Math.abs(before.size - line.size) > SIZE_TOLERANCE * Math.max(before.size, line.size)) return false;
  const gap = (line.baseline - before.baseline) / line.size;
  // The line is above the previous one: the next column, in which a sentence may continue.
  if (gap < -MIN_MEASURED_LINE_GAP) return !SENTENCE_END.test(before.text) && !/^\p{Lu}/u.test(line.text);
  if (gap > usual * MAX_LINE_GAP_RATIO) return false;
  return line.start - before.start < PARAGRAPH_INDENT * line.size || !SENTENCE_END.test(before.text);
}

/** Whether the line continues a cell of the row. */
const continuesCell = (row: PageLine, line: PageLine): boolean =>
  row.cells.slice(1).some(({ start }) => Math.abs(start - line.start) < CELL_ALIGNMENT_TOLERANCE * line.size);

function join(before: string, after: string): string {
  if (BROKEN_WORD.test(before) && LOWER_CASE_START.test(after) && !CONJUNCTION.test(after))
    return (COMPOUND.test(before) ? before : before.slice(0, -1)) + after;
  if (HYPHENATED.test(before) && PART_OF_COMPOUND.test(after)) return before + after;
  return `${before}\n${after}`; // the writer makes a space of it, or nothing between Chinese characters
}
