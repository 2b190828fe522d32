import { LINE_BREAK, LIST_ITEM, sentencesOf, type Slice, TABLE_ROW, trimmed } from './sentences';

/** A sentence that is no heading, or a list with the line that announces it. */
export interface TellingSentence extends Slice {
  /** What stands above it and is said of it, too: headings, what announces it, a table's first row. Empty when there is none. */
  above: string;
  /** Another number below each heading. */
  section: number;
  /** The first row of the table that it is another row of. */
  header: Slice | undefined;
}

/** A title, a chapter and a section. More lines like headings in a row are notes. */
const MOST_HEADINGS = 3;
const MOST_HEADING_CHARACTERS = 120;
const BLANK_LINE = /\n\s*\n/;
const WORDS = /[\p{L}\p{N}]/u;
const QUESTION = /[?？]$/;
/** A line with a colon in it may well tell something: `Password: none`. But not `Q: What now?`. */
const NO_HEADING = /[:：]|[.!…。！；;，,]$/;
const NUMBERED_ITEM = /^\d{1,3}[.)]\s/;
export const ANNOUNCES = /[:：]$/;

/**
 * The sentences of a text that are no headings. A heading is of one line, like the questions of a FAQ, above text that is
 * none, and holds for the block right below it. So does a line that ends in a colon; a list below it is one sentence with
 * it, as far as it fits.
 * @param mostCharacters of a list
 */
export function tellingSentencesOf(text: string, mostCharacters: number): TellingSentence[] {
  const layout = new Layout(text);
  const { sentences } = layout;
  const telling: TellingSentence[] = [];
  let above: Slice[] = [];
  let section = 0;
  for (let at = 0; at < sentences.length; at++) {
    if (layout.beginsBlock(at)) above = [];
    const sentence = sentences[at]!;
    if (layout.isHeading(at)) {
      if (!layout.isHeading(at - 1)) section += 1;
      above.push(sentence);
      continue;
    }
    const header = layout.headerOf(at);
    const others = header ? [...above, header] : above;
    const told = {
      section,
      header,
      above: others.map(({ start, end }) => text.slice(start, end)).join('\n'),
    };
    if (!layout.announces(at)) {
      telling.push({ ...sentence, ...told });
      continue;
    }
    above = [...above, sentence];
    const last = layout.lastOfList(at, sentence.start + mostCharacters);
    if (last > at) telling.push({ start: sentence.start, end: sentences[last]!.end, ...told });
    at = last;
  }
  return telling;
}

/** Without the mark of a list's item. */
export function withoutMark(text: string, { start, end }: Slice): Slice {
  const mark = LIST_ITEM.exec(text.slice(start, end))?.[0] ?? '';
  const told = trimmed(text, { start: start + mark.length, end });
  return WORDS.test(text.slice(told.start, told.end)) ? told : { start, end };
}

/** How the sentences of a text stand to one another; each by its place. */
class Layout {
  readonly sentences: Slice[];
  private readonly lines: string[];
  private readonly headings = new Set<number>();

  constructor(private readonly text: string) {
    this.sentences = sentencesOf(text);
    this.lines = this.sentences.map(({ start, end }) => text.slice(start, end));
    const looks = this.lines.map((_line, at) => this.looksLikeHeading(at));
    for (let at = 0; at < looks.length; at++) {
      if (!looks[at]) continue;
      const first = at;
      while (looks[at + 1]) at += 1;
      if (!this.tells(at + 1)) continue;
      for (let line = at - first < MOST_HEADINGS ? first : at; line <= at; line++) this.headings.add(line);
    }
  }

  isHeading(at: number): boolean {
    return this.headings.has(at);
  }

  /** A list goes on with the paragraph above it, and whatever is announced with what announces it. */
  beginsBlock(at: number): boolean {
    if (this.isHeading(at)) return !this.isHeading(at - 1);
    return this.isSetApart(at) && !this.isHeading(at - 1) && !this.isItem(at) && !this.announces(at - 1);
  }

  /** Whether it is of no use without what stands below it. */
  announces(at: number): boolean {
    return ANNOUNCES.test(this.lines[at] ?? '') && this.tells(at + 1);
  }

  /** The last sentence of the list right below, with all its items that end in time; the place itself where there is none. */
  lastOfList(announcing: number, latestEnd: number): number {
    let last = announcing;
    for (let at = announcing + 1; at < this.lines.length; at++) {
      const isPart = this.isItem(at) || (at > announcing + 1 && !this.isSetApart(at));
      if (!isPart || this.isHeading(at)) break;
      if (this.sentences[at]!.end > latestEnd) break;
      last = at;
    }
    return last;
  }

  /** At the very beginning of a text may stand any row of a table that was cut in two. */
  headerOf(at: number): Slice | undefined {
    if (!this.isRow(at)) return undefined;
    let first = at;
    while (this.isRow(first - 1) && !this.isSetApart(first)) first -= 1;
    return first > 0 && first < at ? this.sentences[first] : undefined;
  }

  private looksLikeHeading(at: number): boolean {
    if (!this.isShortLine(at)) return false;
    if (!this.isSetApart(at) && this.isShortLine(at - 1) && QUESTION.test(this.lines[at - 1]!)) return false;
    if (this.isSetApart(at + 1) || !this.isShortLine(at + 1)) return true;
    // Of lines right below one another only a question is one.
    return QUESTION.test(this.lines[at]!);
  }

  private isShortLine(at: number): boolean {
    const line = this.lines[at];
    if (line === undefined || line.length > MOST_HEADING_CHARACTERS || LINE_BREAK.test(line)) return false;
    if (NO_HEADING.test(line) && !QUESTION.test(line)) return false;
    if (this.isItem(at) && !this.isNumberedAlone(at)) return false;
    const { start, end } = this.sentences[at]!;
    const lineEnd = this.text.indexOf('\n', end);
    const around = this.text.slice(this.text.lastIndexOf('\n', start - 1) + 1, start);
    return lineEnd >= 0 && (around + this.text.slice(end, lineEnd)).trim() === '';
  }

  /** `9. Termination`, that is no item of a list. */
  private isNumberedAlone(at: number): boolean {
    const isNumbered = (place: number) => NUMBERED_ITEM.test(this.lines[place] ?? '');
    const isAlone = this.isSetApart(at) && this.isSetApart(at + 1);
    return isAlone && isNumbered(at) && !isNumbered(at - 1) && !isNumbered(at + 1);
  }

  private isItem(at: number): boolean {
    return LIST_ITEM.test(this.lines[at] ?? '') || this.isRow(at);
  }

  private isRow(at: number): boolean {
    return TABLE_ROW.test(this.lines[at] ?? '');
  }

  private tells(at: number): boolean {
    return WORDS.test(this.lines[at] ?? '');
  }

  /** By a blank line from the one above, or by an end of the text. */
  private isSetApart(at: number): boolean {
    const [above, below] = [this.sentences[at - 1], this.sentences[at]];
    return !above || !below || BLANK_LINE.test(this.text.slice(above.end, below.start));
  }
}
