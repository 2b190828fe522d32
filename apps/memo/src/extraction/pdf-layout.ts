export interface PdfItem {
  str: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
}

interface Line {
  text: string;
  size: number;
  angle: number;
  /** Along and across the direction of writing, so that rotated text is treated like any other. */
  start: number;
  across: number;
}

interface Paragraph {
  text: string;
  item: boolean;
}

const LIST_MARK = /^(?:[•▪‣◦●○■–*·-]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s)/;
const BROKEN_WORD = /\p{L}[-\u00ad\u2010]$/u;
const LOWER_CASE_START = /^\p{Ll}/u;
const SENTENCE_END = /[.!?:;。！？：；”’"')\]]$/u;
/**
 * Many Chinese PDFs hold radicals in the place of the characters they look like, and vertical forms of punctuation.
 */
const STAND_INS = /[\u2e80-\u2fdf\ufe10-\ufe19\ufe30-\ufe4f]/g;
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
    if (item.str.trim() !== '' && !this.line) this.line = start(item);
    if (this.line) this.line.text += item.str;
    this.length += item.str.length;
    if (item.hasEOL) this.endLine();
  }

  paragraphs(): Paragraph[] {
    this.endLine();
    const paragraphs: Paragraph[] = [];
    const gap = usualGap(this.lines);
    let before: Line | undefined;
    for (const line of this.lines) {
      const last = paragraphs.at(-1);
      const item = LIST_MARK.test(line.text);
      if (before && last && !item && continues(before, line, gap)) last.text = join(last.text, line.text);
      else paragraphs.push({ text: line.text, item: item && last?.item === true });
      if (item) paragraphs.at(-1)!.item ||= last?.item === true;
      before = line;
    }
    return paragraphs;
  }

  private endLine(): void {
    if (this.line) {
      this.line.text = this.line.text.replace(STAND_INS, (character) => character.normalize('NFKC')).trim();
      this.lines.push(this.line);
    }
    this.line = undefined;
  }
}

function start(item: PdfItem): Line {
  const [a = 1, b = 0, , , x = 0, y = 0] = item.transform;
  const angle = Math.atan2(b, a);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return {
    text: '',
    size: item.height || Math.hypot(a, b) || 1,
    angle,
    start: x * cos + y * sin,
    across: x * sin - y * cos, // grows downwards
  };
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
  if (Math.abs(before.angle - line.angle) > 0.01) return false;
  if (Math.abs(before.size - line.size) > SIZE_TOLERANCE * Math.max(before.size, line.size)) return false;
  const gap = (line.across - before.across) / line.size;
  // Upwards: the next column, where a sentence may go on.
  if (gap < -0.5) return !SENTENCE_END.test(before.text) && !/^\p{Lu}/u.test(line.text);
  if (gap > usual * GAP_TOLERANCE) return false;
  return line.start - before.start < INDENT * line.size || !SENTENCE_END.test(before.text);
}

function join(before: string, after: string): string {
  if (BROKEN_WORD.test(before) && LOWER_CASE_START.test(after)) return before.slice(0, -1) + after;
  return `${before}\n${after}`; // the writer makes a space of it, or nothing between Chinese characters
}
