import { DOCX, shownContainer } from '../../../tables/media-type';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { type OmissionKind, type Omissions } from '../../../tables/omission';
import { readHtml } from '../html';
import { parseMail, writeBody } from '../mail/eml';
import { readRtf } from '../rtf';
import { CapturedText, type TextWriter } from '../text/text-writer';
import { decodeText, detectEncoding } from '../text/character-encoding';
import { TableWriter } from '../text/table-writer';
import { readDamaged } from '../package/damage';
import { Package, type Relation } from '../package/package';
import { type XmlHandler } from '../package/xml-part';

const HTML =
  /^[\s\ufeff]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype|\?xml|html|head|body|meta|title|style|div|table|p|h[1-6]|span|ul|ol)[\s>]/i;
const MIME = /^(?:[\w-]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)+\r?\n/;
const MIME_VERSION = /^(?:MIME-Version|Content-Type):/im;
/** Headers of MHTML are shorter. */
const HEAD_BYTES = 8 * 1024;

/**
 * Writes the part of another format that a document includes by `w:altChunk`: HTML, MHTML, plain text or DOCX. Its format is told
 * by its first bytes, because converters declare it wrongly.
 */
async function readChunk(bytes: Buffer, part: string, output: ReadingOutput): Promise<void> {
  if (shownContainer(bytes) === 'zip') {
    if (output.level <= MAX_INNER_DOCUMENTS) return output.readInner(bytes, DOCX, output);
    return output.omissions.add('embedded_file');
  }
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const headers = MIME.exec(head)?.[0];
  if (headers !== undefined && MIME_VERSION.test(headers)) return readMhtml(bytes, output);
  if (HTML.test(head) || /\.x?html?$/i.test(part)) return readHtml(bytes, output);
  if (head.startsWith('{\\rtf')) return readRtf(bytes, output);
  for (const { text } of decodeText(bytes, detectEncoding(bytes, false))) output.writer.verbatim(text);
}

async function readMhtml(bytes: Buffer, output: ReadingOutput): Promise<void> {
  const mail = await parseMail(bytes);
  if (!writeBody(mail, output)) output.omissions.add('missing_part');
  const files = mail.attachments.filter(({ contentType }) => !contentType.startsWith('image/'));
  output.omissions.add('embedded_file', files.length);
}

/**
 * Elements whose text is not part of the document: `Fallback` repeats `Choice`; `del` and `moveFrom` hold deleted
 * text; `rt` holds the reading above a word.
 */
const SKIPPED = new Map<string, OmissionKind | undefined>([
  ['del', 'deleted_text'],
  ['moveFrom', 'deleted_text'],
  ['delText', 'deleted_text'],
  ['rt', 'reading_aid'],
  ['Fallback', undefined],
  ['instrText', undefined],
]);
const THINGS = new Map<string, OmissionKind>([
  ['pic', 'picture'],
  ['imagedata', 'picture'],
  ['OLEObject', 'embedded_file'],
]);
const TEXT = 't';
const NOTES = new Set(['footnote', 'endnote', 'comment']);
const NOTE_MARKS = new Map([
  ['footnoteReference', 'footnote'],
  ['endnoteReference', 'endnote'],
  ['commentReference', 'comment'],
]);
const OFF = new Set(['0', 'false', 'off', 'none']);
/** Unpacked bytes between two reports. */
const PROGRESS_EVERY_BYTES = 1024 * 1024;
export const readDocx = (bytes: Uint8Array, output: ReadingOutput): Promise<void> =>
  readDamaged(async () => new DocxReader(await Package.open(bytes, DOCX), output).read());

/** Texts of other parts are read first, because they are written while the main part is inflated. */
class DocxReader {
  private readonly notes: Notes;
  /** The texts of chunks, by the id of their relation. */
  private readonly chunks = new Map<string, string>();

  constructor(
    private readonly office: Package,
    private readonly output: ReadingOutput,
  ) {
    this.notes = new Notes(output.writer, output.omissions);
  }

  async read(): Promise<void> {
    const { office, output, notes } = this;
    const { writer } = output;
    const main = office.mainPart;
    const relations = await office.relationsOf(main);
    const folder = main.slice(0, main.lastIndexOf('/') + 1);
    const parts = ['footnotes.xml', 'endnotes.xml', 'comments.xml'].map((name) => folder + name);
    const total = [...parts, main].reduce((sum, part) => sum + office.size(part), 0);
    this.reportInflation(total);
    for (const part of parts) if (office.has(part)) await office.readXml(part, notes);
    await this.readChunks(relations);
    await this.writeMargins(relations, 'header');
    const text = new WordText(writer, output.omissions, notes, this.chunks);
    await office.readXml(main, text);
    await this.writeMargins(relations, 'footer');
    notes.writeUnreferenced();
    output.onProgress(total, total);
  }

  private reportInflation(total: number): void {
    let reported = 0;
    this.office.onInflated = (inflated) => {
      if (inflated - reported < PROGRESS_EVERY_BYTES) return;
      reported = inflated;
      this.output.onProgress(Math.min(inflated, total), total);
    };
  }

  private async readChunks(relations: Relation[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const { id, type, target, isExternal } of relations) {
      if (type !== 'aFChunk' || isExternal || !this.office.has(target)) continue;
      if (!texts.has(target)) texts.set(target, await this.readChunk(target));
      this.chunks.set(id, texts.get(target)!);
    }
  }

  private async readChunk(part: string): Promise<string> {
    const captured = new CapturedText(this.output.writer);
    await readChunk(await this.office.readAll(part), part, innerOutput(this.output, captured.writer));
    return captured.take();
  }

  /** Headers and footers stand once in the text, however many sections and kinds of pages show them. */
  private async writeMargins(relations: Relation[], type: 'header' | 'footer'): Promise<void> {
    const { writer, omissions } = this.output;
    const written = new Set<string>();
    for (const { target } of relations.filter((relation) => relation.type === type)) {
      if (!this.office.has(target)) continue;
      const captured = new CapturedText(writer);
      await this.office.readXml(target, new WordText(captured.writer, omissions, this.notes, new Map()));
      const text = captured.take();
      if (text === '' || written.has(text)) continue;
      written.add(text);
      writer.block();
      writer.verbatim(text);
      writer.block();
    }
  }
}

/** Reads footnotes, endnotes or comments and keeps them until the main part refers to them. */
class Notes implements XmlHandler {
  private readonly texts = new Map<string, string>();
  private length = 0;
  private key = '';
  private note: { text: WordText; captured: CapturedText } | undefined;

  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
  ) {}

  open(name: string, attributes: Record<string, string>): void {
    if (NOTES.has(name)) this.begin(`${name} ${attributes['w:id']}`);
    else this.note?.text.open(name, attributes);
  }

  close(name: string): void {
    if (!NOTES.has(name)) return this.note?.text.close(name);
    if (!this.note) return;
    const text = this.note.captured.take();
    this.length += text.length;
    this.writer.requireRoomFor(this.length);
    if (text !== '') this.texts.set(this.key, text);
    this.note = undefined;
  }

  text(text: string): void {
    this.note?.text.text(text);
  }

  takeNote(key: string): string {
    const text = this.texts.get(key) ?? '';
    this.texts.delete(key);
    return text;
  }

  /** Writes the notes that nothing refers to. */
  writeUnreferenced(): void {
    for (const text of this.texts.values()) {
      this.writer.block();
      this.writer.flow(text);
    }
  }

  private begin(key: string): void {
    this.key = key;
    const captured = new CapturedText(this.writer);
    this.note = { text: new WordText(captured.writer, this.omissions, this, new Map()), captured };
  }
}

class WordText implements XmlHandler {
  private depth = 0;
  private skippedFrom = -1;
  private skippedAs: OmissionKind | undefined;
  private textDepth = -1;
  private hidden = false;
  private item = false;
  private afterItem = false;
  /** Notes of the current paragraph. */
  private notes: string[] = [];
  private readonly tables: TableWriter;

  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly allNotes: Notes,
    private readonly chunks: Map<string, string>,
  ) {
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (THINGS.has(name)) this.omissions.add(THINGS.get(name)!);
    if (SKIPPED.has(name)) {
      this.skippedFrom = this.depth;
      this.skippedAs = SKIPPED.get(name);
    } else if (name === TEXT) this.textDepth = this.depth;
    else if (name === 'p') this.openParagraph();
    else if (name === 'r') this.hidden = false;
    else if (name === 'tab' || name === 'ptab') this.writer.flow(' ');
    else if (name === 'br' || name === 'cr') this.tables.newline();
    else if (name === 'noBreakHyphen') this.writer.flow('-');
    else if (name === 'tbl') this.tables.open();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
    else if (name === 'altChunk') this.insertChunk(attributes['r:id']);
    else if (NOTE_MARKS.has(name)) this.addNote(`${NOTE_MARKS.get(name)} ${attributes['w:id']}`);
    else this.property(name, attributes['w:val']);
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
  }

  text(text: string): void {
    if (this.skippedFrom >= 0) {
      if (this.skippedAs) this.omissions.add(this.skippedAs, text.trim().length);
    } else if (this.textDepth !== this.depth) return;
    else if (this.hidden) this.omissions.add('hidden_text', text.trim().length);
    else this.writer.flow(text);
  }

  private property(name: string, value: string | undefined): void {
    if (name === 'vanish') this.hidden = !OFF.has(value ?? '');
    else if (name === 'numPr') this.startItem();
  }

  private openParagraph(): void {
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

  private insertChunk(id: string | undefined): void {
    const text = this.chunks.get(id ?? '');
    if (text === undefined) return this.omissions.add('missing_part');
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
    if (!this.tables.inCell) this.writer.block();
  }
}
