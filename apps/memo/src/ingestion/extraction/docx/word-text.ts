import { type OmissionKind, type Omissions } from '../../../tables/omission';
import { type XmlHandler } from '../package/xml-part';
import { isShown } from '../text/characters';
import { symbolIn } from '../text/symbol-fonts';
import { TableWriter } from '../text/table-writer';
import { type TextWriter } from '../text/text-writer';
import { BULLET, type Label, type ListNumbers } from './list-numbers';
import { isHeadingLevel, isOn, type WordStyles } from './word-styles';

/**
 * Elements whose text is not part of the document: `del` and `moveFrom` hold deleted text; `rt` holds the reading above a word; the
 * changes of properties hold the former ones.
 */
const SKIPPED = new Map<string, OmissionKind | undefined>([
  ['del', 'deleted_text'],
  ['moveFrom', 'deleted_text'],
  ['delText', 'deleted_text'],
  ['rt', 'reading_aid'],
  ['instrText', undefined],
  ...[
    'rPrChange',
    'pPrChange',
    'tblPrChange',
    'trPrChange',
    'tcPrChange',
    'sectPrChange',
    'numberingChange',
  ].map((name): [string, undefined] => [name, undefined]),
]);
const THINGS = new Map<string, OmissionKind>([
  ['pic', 'picture'],
  ['imagedata', 'picture'],
  ['OLEObject', 'embedded_file'],
]);
const TEXT = 't';
const NOTE_MARKS = new Map([
  ['footnoteReference', 'footnote'],
  ['endnoteReference', 'endnote'],
  ['commentReference', 'comment'],
]);
const PRIVATE_USE = /[\uf000-\uf0ff]/g;

/** Where the texts of notes are, until the main part refers to them. */
export interface NoteSource {
  takeNote(key: string): string;
}

/** A field (ISO 29500-1, 17.16): its instruction, and then what it shows. */
interface Field {
  isResult: boolean;
}

/** Items of deeper levels are indented like this one. */
const MAX_INDENT = 8;

/** An open paragraph. */
interface Paragraph {
  /** Whether its style hides its text. */
  isHidden: boolean;
  style?: string;
  numId?: string;
  ilvl?: string;
  isHeading?: boolean;
  /** Whether its end is hidden or deleted. Such a paragraph is counted only if it shows text. */
  isMarkHidden: boolean;
  isMarkDeleted: boolean;
  /** Whether the paragraph before it is an item. */
  isAfterItem: boolean;
  /** Whether it has text, so that its number is written. */
  isBegun: boolean;
}

/** Writes the text of a part of a Word document. */
export class WordText implements XmlHandler {
  private depth = 0;
  private skippedFrom = -1;
  private skippedAs: OmissionKind | undefined;
  private textDepth = -1;
  private hidden = false;
  private readonly paragraphs: Paragraph[] = [];
  private isInProperties = false;
  /** Whether the next paragraph goes on in the line of one whose end was deleted. */
  private isJoined = false;
  private font = '';
  private fields: Field[] = [];
  /** Whether the open alternatives have a first choice. */
  private readonly alternatives: boolean[] = [];
  private choice: { entries: string[]; chosen?: number } | undefined;
  /** Whether the last paragraph is an item of a list. */
  private item = false;
  /** Notes of the current paragraph. */
  private notes: string[] = [];
  private readonly tables: TableWriter;

  /** @param included the texts of other parts, by the id of their relation */
  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly allNotes: NoteSource,
    private readonly styles: WordStyles,
    private readonly numbers: ListNumbers,
    private readonly included: Map<string, string>,
  ) {
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (THINGS.has(name)) this.omissions.add(THINGS.get(name)!);
    if (this.isInProperties) this.readProperty(name, attributes);
    if (SKIPPED.has(name) || (name === 'Fallback' && this.alternatives.at(-1))) {
      this.skippedFrom = this.depth;
      this.skippedAs = SKIPPED.get(name);
    } else if (name === TEXT) this.textDepth = this.depth;
    else if (name === 'p') this.openParagraph();
    else if (name === 'pPr') this.isInProperties = true;
    else if (name === 'r') this.openRun();
    else if (name === 'tab' || name === 'ptab') this.writer.flow(' ');
    else if (name === 'br' || name === 'cr') this.tables.newline();
    else if (name === 'noBreakHyphen') this.write('-');
    else if (name === 'den') this.write('/');
    else if (name === 'tbl') this.openTable();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
    else if (name === 'altChunk') this.include(attributes['r:id'], true);
    else if (name === 'chart') this.include(attributes['r:id'], false);
    else if (name === 'relIds') this.include(attributes['r:dm'], false);
    else if (name === 'AlternateContent') this.alternatives.push(false);
    else if (name === 'Choice') this.alternatives.splice(-1, 1, true);
    else if (NOTE_MARKS.has(name)) this.addNote(`${NOTE_MARKS.get(name)} ${attributes['w:id']}`);
    else this.openInRun(name, attributes);
  }

  close(name: string): void {
    const depth = this.depth--;
    if (this.skippedFrom >= 0) {
      if (depth === this.skippedFrom) this.skippedFrom = -1;
      return;
    }
    if (name === TEXT) this.textDepth = -1;
    else if (name === 'p') this.closeParagraph();
    else if (name === 'pPr') this.isInProperties = false;
    else if (name === 'tc') this.tables.closeCell();
    else if (name === 'tbl') this.tables.close();
    else if (name === 'AlternateContent') this.alternatives.pop();
    else if (name === 'txbxContent') this.tables.breakBlock();
    else if (name === 'ddList') this.showChoice();
  }

  text(text: string): void {
    if (this.skippedFrom >= 0) {
      if (this.skippedAs) this.omissions.add(this.skippedAs, text.trim().length);
    } else if (this.textDepth === this.depth)
      this.show(text.replace(PRIVATE_USE, (sign) => symbolIn(this.font, sign.charCodeAt(0)) || sign));
  }

  private show(text: string): void {
    // What a field shows within the instruction of another one is only an argument.
    if (this.fields.slice(0, -1).some(({ isResult }) => !isResult)) return;
    if (this.hidden) this.omissions.add('hidden_text', text.trim().length);
    else this.write(text);
  }

  private write(text: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (paragraph && !paragraph.isBegun && isShown(text)) this.begin(paragraph);
    this.writer.flow(text);
  }

  private openRun(): void {
    this.hidden = this.paragraphs.at(-1)?.isHidden ?? false;
    this.font = '';
  }

  private openInRun(name: string, attributes: Record<string, string>): void {
    const value = attributes['w:val'];
    if (name === 'vanish') this.hidden = isOn(value);
    else if (name === 'rStyle') this.hidden ||= this.styles.hides(value);
    else if (name === 'rFonts') this.font = attributes['w:ascii'] ?? attributes['w:hAnsi'] ?? '';
    else if (name === 'sym') this.showSymbol(attributes['w:font'], attributes['w:char']);
    else if (name === 'textpath') this.show(` ${attributes.string ?? ''} `);
    else if (name === 'fldChar') this.passField(attributes['w:fldCharType']);
    else if (name === 'ddList') this.choice = { entries: [] };
    else if (this.choice && name === 'listEntry') this.choice.entries.push(value ?? '');
    else if (this.choice && name === 'result') this.choice.chosen = Number(value);
    else if (this.choice && name === 'default') this.choice.chosen ??= Number(value);
  }

  private readProperty(name: string, attributes: Record<string, string>): void {
    const paragraph = this.paragraphs.at(-1);
    const value = attributes['w:val'];
    if (!paragraph) return;
    if (name === 'pStyle') {
      paragraph.style = value;
      paragraph.isHidden = this.styles.hides(value);
      paragraph.isMarkHidden ||= paragraph.isHidden;
    } else if (name === 'numId') paragraph.numId = value;
    else if (name === 'ilvl') paragraph.ilvl = value;
    else if (name === 'outlineLvl') paragraph.isHeading = isHeadingLevel(value);
    else if (name === 'vanish') paragraph.isMarkHidden = isOn(value);
    else if (name === 'specVanish') paragraph.isMarkHidden &&= !isOn(value);
    else if (name === 'del' || name === 'moveFrom') paragraph.isMarkDeleted = true;
  }

  private showSymbol(font = '', code = ''): void {
    const sign = symbolIn(font, Number.parseInt(code, 16) || 0);
    if (sign !== '') this.show(sign);
  }

  private passField(type: string | undefined): void {
    if (type === 'begin') this.fields.push({ isResult: false });
    else if (type === 'end') this.fields.pop();
    else if (type === 'separate') this.fields.splice(-1, 1, { isResult: true });
  }

  /** A field to choose from has no other result. */
  private showChoice(): void {
    const { entries, chosen = 0 } = this.choice!;
    this.choice = undefined;
    // The text stands in the instruction of its field.
    if (!this.hidden) this.write(entries[chosen] ?? '');
  }

  private openParagraph(): void {
    const isJoined = this.isJoined;
    this.paragraphs.push({
      isHidden: false,
      isMarkHidden: false,
      isMarkDeleted: false,
      isAfterItem: this.item,
      isBegun: isJoined,
    });
    this.isJoined = false;
    if (isJoined) return;
    this.item = false;
    this.tables.breakBlock();
  }

  private openTable(): void {
    if (this.isJoined) this.writer.block();
    this.isJoined = false;
    this.tables.open();
  }

  /** Counts a paragraph. Returns what stands before its text; undefined if nothing does. */
  private number(paragraph: Paragraph): Label | undefined {
    paragraph.isBegun = true;
    const { style, numId, ilvl, isHeading = this.styles.isHeading(style) } = paragraph;
    const label = this.numbers.count({ style, numId, ilvl });
    if (!label || label.isEmpty) return undefined;
    this.item = !isHeading && !this.tables.inCell;
    return label;
  }

  /**
   * Writes the number of a paragraph before its first text. Items are written line by line. The first one starts a new block, and so does
   * the text after the last one. Headings stand alone.
   */
  private begin(paragraph: Paragraph): void {
    const label = this.number(paragraph);
    if (!label) return;
    const { level } = label;
    const mark = label.build();
    // In a table the text before the next word is the cell separator.
    if (this.tables.inCell) return mark === BULLET ? undefined : this.writer.flow(mark);
    this.writer.prefix((this.item ? '  '.repeat(Math.min(MAX_INDENT, level)) : '') + mark);
    if (this.item && paragraph.isAfterItem) this.writer.tighten();
  }

  private include(id: string | undefined, isNeeded: boolean): void {
    const text = this.included.get(id ?? '');
    if (text === undefined) return isNeeded ? this.omissions.add('missing_part') : undefined;
    this.tables.breakBlock();
    if (this.tables.inCell) this.writer.flow(text);
    else this.writer.verbatim(text);
    this.tables.breakBlock();
  }

  private addNote(key: string): void {
    const note = this.allNotes.takeNote(key);
    if (note !== '' && !this.hidden) this.notes.push(note);
  }

  /** Notes are written after the paragraph, because within it they would split its sentences. */
  private closeParagraph(): void {
    for (const note of this.notes) this.write(` [${note}]`);
    this.notes = [];
    const paragraph = this.paragraphs.pop();
    if (paragraph) this.endParagraph(paragraph);
    // An instruction ends within its paragraph; one that lost its end hides no further text.
    this.fields = this.fields.filter(({ isResult }) => isResult);
    if (!this.tables.inCell && !this.isJoined) this.writer.block();
  }

  private endParagraph(paragraph: Paragraph): void {
    const { isBegun, isMarkDeleted, isMarkHidden } = paragraph;
    this.isJoined = isMarkDeleted && isBegun;
    if (isBegun) return;
    // Nothing is seen of the paragraph.
    if (isMarkDeleted || isMarkHidden) this.item = paragraph.isAfterItem;
    // A number alone fills a cell; elsewhere it is counted, not written.
    else if (this.tables.inCell) this.begin(paragraph);
    else this.number(paragraph);
  }
}
