import { type OmissionKind, type Omissions } from '../../../tables/omission';
import { type XmlHandler } from '../package/xml-part';
import { symbolIn } from '../text/symbol-fonts';
import { TableWriter } from '../text/table-writer';
import { type TextWriter } from '../text/text-writer';

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
const OFF = new Set(['0', 'false', 'off', 'none']);
const PRIVATE_USE = /[\uf000-\uf0ff]/g;

const isOn = (value: string | undefined): boolean => !OFF.has(value ?? '');

/** Reads which styles hide their text. */
export class HiddenStyles implements XmlHandler {
  private readonly styles = new Map<string, { base?: string; isHidden?: boolean }>();
  private style: { base?: string; isHidden?: boolean } = {};
  private conditional = 0;

  open(name: string, attributes: Record<string, string>): void {
    const value = attributes['w:val'];
    if (name === 'style') this.styles.set(attributes['w:styleId'] ?? '', (this.style = {}));
    else if (name === 'tblStylePr') this.conditional++;
    else if (name === 'basedOn' && value !== undefined) this.style.base = value;
    else if (name === 'vanish' && this.conditional === 0) this.style.isHidden = isOn(value);
  }

  close(name: string): void {
    if (name === 'style') this.style = {};
    else if (name === 'tblStylePr') this.conditional--;
  }

  hides(id: string | undefined): boolean {
    const seen = new Set<string>();
    for (let at = id; at !== undefined && !seen.has(at); at = this.styles.get(at)?.base) {
      seen.add(at);
      const isHidden = this.styles.get(at)?.isHidden;
      if (isHidden !== undefined) return isHidden;
    }
    return false;
  }
}

/** Where the texts of notes are, until the main part refers to them. */
export interface NoteSource {
  takeNote(key: string): string;
}

/** A field (ISO 29500-1, 17.16): its instruction, and then what it shows. */
interface Field {
  isResult: boolean;
}

/** Writes the text of a part of a Word document. */
export class WordText implements XmlHandler {
  private depth = 0;
  private skippedFrom = -1;
  private skippedAs: OmissionKind | undefined;
  private textDepth = -1;
  private hidden = false;
  /** Whether the styles of the open paragraphs hide their text. */
  private readonly hiddenParagraphs: boolean[] = [];
  private font = '';
  private fields: Field[] = [];
  /** Whether the open alternatives have a first choice. */
  private readonly alternatives: boolean[] = [];
  private choice: { entries: string[]; chosen?: number } | undefined;
  private item = false;
  private afterItem = false;
  /** Notes of the current paragraph. */
  private notes: string[] = [];
  private readonly tables: TableWriter;

  /** @param included the texts of other parts, by the id of their relation */
  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly allNotes: NoteSource,
    private readonly styles: HiddenStyles,
    private readonly included: Map<string, string>,
  ) {
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (THINGS.has(name)) this.omissions.add(THINGS.get(name)!);
    if (SKIPPED.has(name) || (name === 'Fallback' && this.alternatives.at(-1))) {
      this.skippedFrom = this.depth;
      this.skippedAs = SKIPPED.get(name);
    } else if (name === TEXT) this.textDepth = this.depth;
    else if (name === 'p') this.openParagraph();
    else if (name === 'r') this.openRun();
    else if (name === 'tab' || name === 'ptab') this.writer.flow(' ');
    else if (name === 'br' || name === 'cr') this.tables.newline();
    else if (name === 'noBreakHyphen') this.writer.flow('-');
    else if (name === 'den') this.writer.flow('/');
    else if (name === 'tbl') this.tables.open();
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
    else this.writer.flow(text);
  }

  private openRun(): void {
    this.hidden = this.hiddenParagraphs.at(-1) ?? false;
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
    else this.openInParagraph(name, value);
  }

  private openInParagraph(name: string, value: string | undefined): void {
    if (name === 'pStyle') this.hiddenParagraphs.splice(-1, 1, this.styles.hides(value));
    else if (name === 'numPr') this.startItem();
    else if (name === 'numId' && value === '0') this.endNumbering();
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
    if (!this.hidden) this.writer.flow(entries[chosen] ?? '');
  }

  private openParagraph(): void {
    this.hiddenParagraphs.push(false);
    this.afterItem = this.item;
    this.item = false;
    this.tables.breakBlock();
  }

  /** Items are written line by line. The first one starts a new block, and so does the text after the last one. */
  private startItem(): void {
    // In a table the text before the next word is the cell separator.
    if (this.tables.inCell) return;
    this.item = true;
    this.writer.prefix('- ');
    if (this.afterItem) this.writer.tighten();
  }

  /** The paragraph is none of the items of its style. */
  private endNumbering(): void {
    if (!this.item) return;
    this.item = false;
    this.writer.prefix('');
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
    for (const note of this.notes) this.writer.flow(` [${note}]`);
    this.notes = [];
    this.hiddenParagraphs.pop();
    // An instruction ends within its paragraph; one that lost its end hides no further text.
    this.fields = this.fields.filter(({ isResult }) => isResult);
    if (!this.tables.inCell) this.writer.block();
  }
}
