import { DOCX, shownContainer } from '../../../tables/media-type';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { type Omissions } from '../../../tables/omission';
import { readHtml } from '../html';
import { writeBody } from '../mail/eml';
import { parseMail } from '../mail/mime';
import { readRtf } from '../rtf';
import { CapturedText, type TextWriter } from '../text/text-writer';
import { decodeText, decodeWhole, detectEncoding } from '../text/character-encoding';
import { readDamaged } from '../package/damage';
import { Package, type Relation } from '../package/package';
import { type XmlHandler } from '../package/xml-part';
import { DrawingText } from '../office/drawing-text';
import { ListDefinitions, ListNumbers } from './list-numbers';
import { WordStyles } from './word-styles';
import { type NoteSource, WordText } from './word-text';

const HTML =
  /^[\s\ufeff]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype|\?xml|html|head|body|meta|title|style|link|base|a|abbr|address|article|aside|b|big|blockquote|br|center|cite|code|dd|div|dl|dt|em|figure|font|footer|form|h[1-6]|header|hr|i|img|li|main|nav|ol|p|pre|section|small|span|strong|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:[\s>]|\/>)/i;
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
  const start = bytes.subarray(0, HEAD_BYTES);
  const head = isMarkedUtf16(start)
    ? decodeWhole(start, detectEncoding(start, true))
    : start.toString('latin1');
  const headers = MIME.exec(head)?.[0];
  if (headers !== undefined && MIME_VERSION.test(headers)) return readMhtml(bytes, output);
  if (HTML.test(head) || /\.x?html?$/i.test(part)) return readHtml(bytes, output);
  if (head.startsWith('{\\rtf')) return readRtf(bytes, output);
  for (const { text } of decodeText(bytes, detectEncoding(bytes, false))) output.writer.verbatim(text);
}

const isMarkedUtf16 = ([a, b]: Buffer): boolean => (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);

async function readMhtml(bytes: Buffer, output: ReadingOutput): Promise<void> {
  const mail = await parseMail(bytes);
  if (!writeBody(mail, output)) output.omissions.add('missing_part');
  output.omissions.add('unreadable_part', mail.unreadable);
  const files = mail.attachments.filter(({ contentType }) => !contentType.startsWith('image/'));
  output.omissions.add('embedded_file', files.length);
}

/** Parts whose text stands where a drawing refers to them. */
const DRAWN_PARTS = new Set(['chart', 'chartEx', 'diagramData']);
const NOTES = new Set(['footnote', 'endnote', 'comment']);
/** Unpacked bytes between two reports. */
const PROGRESS_EVERY_BYTES = 1024 * 1024;
export const readDocx = (bytes: Uint8Array, output: ReadingOutput): Promise<void> =>
  readDamaged(async () => new DocxReader(await Package.open(bytes, DOCX), output).read());

/** Texts of other parts are read first, because they are written while the main part is inflated. */
class DocxReader {
  private readonly notes: Notes;
  private readonly styles = new WordStyles();
  private readonly definitions = new ListDefinitions(this.styles);

  constructor(
    private readonly office: Package,
    private readonly output: ReadingOutput,
  ) {
    this.notes = new Notes(output.writer, output.omissions, this.styles, this.newNumbers());
  }

  async read(): Promise<void> {
    const { office, output, notes } = this;
    const { writer } = output;
    const main = office.mainPart;
    const relations = await office.relationsOf(main);
    const folder = main.slice(0, main.lastIndexOf('/') + 1);
    const partOf = (type: string): string =>
      relations.find((one) => one.type === type && office.has(one.target))?.target ?? `${folder}${type}.xml`;
    const parts = ['footnotes', 'endnotes', 'comments'].map(partOf);
    const total = [...parts, main].reduce((sum, part) => sum + office.size(part), 0);
    this.reportInflation(total);
    if (office.has(partOf('styles'))) await office.readXml(partOf('styles'), this.styles);
    if (office.has(partOf('numbering'))) await office.readXml(partOf('numbering'), this.definitions);
    for (const part of parts) if (office.has(part)) await office.readXml(part, notes);
    await this.writeMargins(relations, 'header');
    const included = await this.readIncluded(relations);
    const text = new WordText(writer, output.omissions, notes, this.styles, this.newNumbers(), included);
    await office.readXml(main, text);
    await this.writeMargins(relations, 'footer');
    notes.writeUnreferenced();
    output.onProgress(total, total);
  }

  /** The text, the notes, and each header and footer count for themselves. */
  private newNumbers(): ListNumbers {
    return new ListNumbers(this.definitions, this.styles);
  }

  private reportInflation(total: number): void {
    let reported = 0;
    this.office.onInflated = (inflated) => {
      if (inflated - reported < PROGRESS_EVERY_BYTES) return;
      reported = inflated;
      this.output.onProgress(Math.min(inflated, total), total);
    };
  }

  /** The texts of the chunks, charts and diagrams of a part, by the id of their relation. */
  private async readIncluded(relations: Relation[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const included = new Map<string, string>();
    for (const { id, type, target, isExternal } of relations) {
      const isDrawn = DRAWN_PARTS.has(type);
      if ((!isDrawn && type !== 'aFChunk') || isExternal || !this.office.has(target)) continue;
      if (!texts.has(target)) texts.set(target, await this.readPart(target, isDrawn));
      included.set(id, texts.get(target)!);
    }
    return included;
  }

  private async readPart(part: string, isDrawn: boolean): Promise<string> {
    const { office, output } = this;
    const captured = new CapturedText(output.writer);
    if (isDrawn) await office.readXml(part, new DrawingText(captured.writer, output.omissions));
    else await readChunk(await office.readAll(part), part, innerOutput(output, captured.writer));
    return captured.take();
  }

  /** Headers and footers stand once in the text, however many sections and kinds of pages show them. */
  private async writeMargins(relations: Relation[], type: 'header' | 'footer'): Promise<void> {
    const { writer, omissions } = this.output;
    const written = new Set<string>();
    for (const { target } of relations.filter((relation) => relation.type === type)) {
      if (!this.office.has(target)) continue;
      const captured = new CapturedText(writer);
      const included = await this.readIncluded(await this.office.relationsOf(target));
      const margin = new WordText(
        captured.writer,
        omissions,
        this.notes,
        this.styles,
        this.newNumbers(),
        included,
      );
      await this.office.readXml(target, margin);
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
class Notes implements XmlHandler, NoteSource {
  private readonly texts = new Map<string, string>();
  private length = 0;
  private key = '';
  private note: { text: WordText; captured: CapturedText } | undefined;

  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly styles: WordStyles,
    private readonly numbers: ListNumbers,
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
    this.note = {
      text: new WordText(captured.writer, this.omissions, this, this.styles, this.numbers, new Map()),
      captured,
    };
  }
}
