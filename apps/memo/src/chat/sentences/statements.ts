import {
  LINE_BREAK,
  LIST_ITEM,
  splitSentences,
  type Slice,
  TABLE_ROW,
  trimSlice,
} from './sentence-segmentation';

/** A sentence that is not a heading, or a list together with its lead-in line. */
export interface Statement extends Slice {
  /** Headings, lead-in and table header that apply to the statement, one per line; empty if there are none. */
  context: string;
  /** Increases with each heading. */
  section: number;
  /** The header row, if the statement is another row of the same table. */
  header: Slice | undefined;
}

/** A title, a chapter and a section. More heading-like lines in a row are notes. */
const MAX_CONSECUTIVE_HEADINGS = 3;
/** Longer lines are not headings. Half excludes long titles of sections; twice includes short paragraphs. */
const MAX_HEADING_CHARACTERS = 120;
const BLANK_LINE = /\n\s*\n/;
const WORDS = /[\p{L}\p{N}]/u;
const QUESTION = /[?？]$/;
/** Lines that end like a sentence, or contain a colon such as `Password: none`. `Q: What now?` is still a heading. */
const NO_HEADING = /[:：]|[.!…。！；;，,]$/;
const NUMBERED_ITEM = /^\d{1,3}[.)]\s/;
export const LEAD_IN = /[:：]$/;

/**
 * Splits a text into statements. A heading is a single line, such as a question of a FAQ, above text that is not a
 * heading; it applies to the block below it. A line that ends with a colon is a lead-in and applies to its block too;
 * a list below it forms one statement with it.
 * @param maxListCharacters longest statement that consists of a lead-in and list items
 */
export function statementsOf(text: string, maxListCharacters: number): Statement[] {
  const layout = new TextLayout(text);
  const { sentences } = layout;
  const statements: Statement[] = [];
  let context: Slice[] = [];
  let section = 0;
  for (let at = 0; at < sentences.length; at++) {
    if (layout.beginsBlock(at)) context = [];
    const sentence = sentences[at]!;
    if (layout.isHeading(at)) {
      if (!layout.isHeading(at - 1)) section += 1;
      context.push(sentence);
      continue;
    }
    const header = layout.headerOf(at);
    const contextSlices = header ? [...context, header] : context;
    const shared = {
      section,
      header,
      context: contextSlices.map(({ start, end }) => text.slice(start, end)).join('\n'),
    };
    if (!layout.isLeadIn(at)) {
      statements.push({ ...sentence, ...shared });
      continue;
    }
    context = [...context, sentence];
    const last = layout.lastOfList(at, sentence.start + maxListCharacters);
    if (last > at) statements.push({ start: sentence.start, end: sentences[last]!.end, ...shared });
    at = last;
  }
  return statements;
}

/** Removes the marker of a list item. */
export function withoutListMarker(text: string, { start, end }: Slice): Slice {
  const marker = LIST_ITEM.exec(text.slice(start, end))?.[0] ?? '';
  const unmarked = trimSlice(text, { start: start + marker.length, end });
  return WORDS.test(text.slice(unmarked.start, unmarked.end)) ? unmarked : { start, end };
}

/** The structure of a text. Sentences are addressed by their index. */
class TextLayout {
  readonly sentences: Slice[];
  private readonly lines: string[];
  private readonly headings = new Set<number>();

  constructor(private readonly text: string) {
    this.sentences = splitSentences(text);
    this.lines = this.sentences.map(({ start, end }) => text.slice(start, end));
    const looks = this.lines.map((_line, at) => this.looksLikeHeading(at));
    for (let at = 0; at < looks.length; at++) {
      if (!looks[at]) continue;
      const first = at;
      while (looks[at + 1]) at += 1;
      if (!this.hasWords(at + 1)) continue;
      for (let line = at - first < MAX_CONSECUTIVE_HEADINGS ? first : at; line <= at; line++)
        this.headings.add(line);
    }
  }

  isHeading(at: number): boolean {
    return this.headings.has(at);
  }

  /** A list continues the paragraph above it, and text after a lead-in belongs to the lead-in. */
  beginsBlock(at: number): boolean {
    if (this.isHeading(at)) return !this.isHeading(at - 1);
    return this.followsBlankLine(at) && !this.isHeading(at - 1) && !this.isItem(at) && !this.isLeadIn(at - 1);
  }

  /** Whether the sentence is useless without the text below it. */
  isLeadIn(at: number): boolean {
    return LEAD_IN.test(this.lines[at] ?? '') && this.hasWords(at + 1);
  }

  /**
   * The index of the last item of the list directly below that ends before `latestEnd`; the lead-in's own index if
   * there is no list.
   */
  lastOfList(leadIn: number, latestEnd: number): number {
    let last = leadIn;
    for (let at = leadIn + 1; at < this.lines.length; at++) {
      const isPart = this.isItem(at) || (at > leadIn + 1 && !this.followsBlankLine(at));
      if (!isPart || this.isHeading(at)) break;
      if (this.sentences[at]!.end > latestEnd) break;
      last = at;
    }
    return last;
  }

  /**
   * Undefined for rows at the start of the text: the table may have been split, so the first row need not be the header.
   */
  headerOf(at: number): Slice | undefined {
    if (!this.isRow(at)) return undefined;
    let first = at;
    while (this.isRow(first - 1) && !this.followsBlankLine(first)) first -= 1;
    return first > 0 && first < at ? this.sentences[first] : undefined;
  }

  private looksLikeHeading(at: number): boolean {
    if (!this.isShortLine(at)) return false;
    if (!this.followsBlankLine(at) && this.isShortLine(at - 1) && QUESTION.test(this.lines[at - 1]!))
      return false;
    if (this.followsBlankLine(at + 1) || !this.isShortLine(at + 1)) return true;
    // Of adjacent short lines only questions are headings.
    return QUESTION.test(this.lines[at]!);
  }

  private isShortLine(at: number): boolean {
    const line = this.lines[at];
    if (line === undefined || line.length > MAX_HEADING_CHARACTERS || LINE_BREAK.test(line)) return false;
    if (NO_HEADING.test(line) && !QUESTION.test(line)) return false;
    if (this.isItem(at) && !this.isNumberedAlone(at)) return false;
    const { start, end } = this.sentences[at]!;
    const lineEnd = this.text.indexOf('\n', end);
    const around = this.text.slice(this.text.lastIndexOf('\n', start - 1) + 1, start);
    return lineEnd >= 0 && (around + this.text.slice(end, lineEnd)).trim() === '';
  }

  /** `9. Termination` is a heading, not a list item. */
  private isNumberedAlone(at: number): boolean {
    const isNumbered = (place: number) => NUMBERED_ITEM.test(this.lines[place] ?? '');
    const isAlone = this.followsBlankLine(at) && this.followsBlankLine(at + 1);
    return isAlone && isNumbered(at) && !isNumbered(at - 1) && !isNumbered(at + 1);
  }

  private isItem(at: number): boolean {
    return LIST_ITEM.test(this.lines[at] ?? '') || this.isRow(at);
  }

  private isRow(at: number): boolean {
    return TABLE_ROW.test(this.lines[at] ?? '');
  }

  private hasWords(at: number): boolean {
    return WORDS.test(this.lines[at] ?? '');
  }

  /** Separated from the sentence above by a blank line, or by the start or end of the text. */
  private followsBlankLine(at: number): boolean {
    const [context, below] = [this.sentences[at - 1], this.sentences[at]];
    return !context || !below || BLANK_LINE.test(this.text.slice(context.end, below.start));
  }
}
