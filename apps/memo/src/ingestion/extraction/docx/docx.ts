import { SaxesParser } from 'saxes';
import { errorSentence, ExtractionError, isResourceExhaustion } from '../../../tables/extraction-error';
import { type OnProgress } from '../text/progress';
import { TableWriter } from '../text/table-writer';
import { TextSink } from '../text/text-sink';
import { TextWriter } from '../text/text-writer';
import { ZipArchive } from './zip-archive';

/** Longest run of bytes without a tag, far above what programs write. saxes collects it in memory. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of elements, far above what programs write. The parser keeps a stack. */
const MAX_DEPTH = 2_000;

interface XmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text?(text: string): void;
}

/**
 * Parses a part while it is inflated. Names are passed without their namespace prefix. saxes expands no DTD entities
 * and fetches nothing; OOXML forbids a DTD, so a part with one is rejected.
 */
async function readXml(archive: ZipArchive, part: string, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser();
  let depth = 0;
  let sinceTag = 0;
  parser.on('doctype', () => {
    throw new ExtractionError('corrupt', `The part ${part} declares entities (DTD), which DOCX forbids.`);
  });
  parser.on('error', (error) => {
    throw new ExtractionError('corrupt', `The part ${part} is not well-formed: ${errorSentence(error)}`);
  });
  parser.on('opentag', (tag) => {
    sinceTag = 0;
    if (++depth > MAX_DEPTH)
      throw new ExtractionError('too_complex', `The part ${part} is nested too deeply.`);
    handler.open(local(tag.name), tag.attributes);
  });
  parser.on('closetag', (tag) => {
    sinceTag = 0;
    depth--;
    handler.close(local(tag.name));
  });
  if (handler.text) parser.on('text', (text) => handler.text?.(text));
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  await archive.read(part, (chunk) => {
    decoder ??= new TextDecoder(encoding(chunk), { fatal: true });
    sinceTag += chunk.length;
    if (sinceTag > MAX_TOKEN_BYTES)
      throw new ExtractionError('too_complex', `The part ${part} holds an endless text.`);
    parser.write(decoder.decode(chunk, { stream: true }));
  });
  parser.close();
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** OOXML allows only UTF-8 and UTF-16. */
function encoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

const RELATIONSHIPS = '_rels/.rels';
const MAIN_PART = 'word/document.xml';
/**
 * Elements whose text is not part of the document: `Fallback` repeats `Choice`; `del` and `moveFrom` hold deleted
 * text.
 */
const SKIPPED = new Set(['del', 'moveFrom', 'Fallback', 'instrText', 'delText']);
const TEXT = 't';
const NOTES = new Set(['footnote', 'endnote']);
const NOTE_MARKS = new Map([
  ['footnoteReference', 'footnote'],
  ['endnoteReference', 'endnote'],
]);
const OFF = new Set(['0', 'false', 'off', 'none']);
/** Unpacked bytes between two reports. */
const PROGRESS_EVERY_BYTES = 1024 * 1024;

export async function readDocx(bytes: Uint8Array, writer: TextWriter, onProgress: OnProgress): Promise<void> {
  try {
    const archive = await ZipArchive.open(bytes);
    const main = await mainPart(archive);
    const folder = main.slice(0, main.lastIndexOf('/') + 1);
    const notes = new Notes(writer);
    // Notes are read first, because their text is written where the main part refers to them.
    const parts = [`${folder}footnotes.xml`, `${folder}endnotes.xml`, main].filter((part) =>
      archive.has(part),
    );
    const total = parts.reduce((sum, part) => sum + archive.size(part), 0);
    let reported = 0;
    archive.onInflated = (inflated) => {
      if (inflated - reported < PROGRESS_EVERY_BYTES) return;
      reported = inflated;
      onProgress(Math.min(inflated, total), total);
    };
    for (const part of parts) {
      await readXml(archive, part, part === main ? new WordText(writer, notes) : notes);
    }
    notes.writeUnreferenced();
    onProgress(total, total);
  } catch (error) {
    if (error instanceof ExtractionError || isResourceExhaustion(error)) throw error;
    // Every error of yauzl and zlib describes the file: a wrong signature, size, offset or deflate stream.
    throw new ExtractionError('corrupt', `The document is damaged: ${errorSentence(error)}`);
  }
}

async function mainPart(archive: ZipArchive): Promise<string> {
  if (!archive.has('[Content_Types].xml'))
    throw new ExtractionError('unsupported', 'The file is a ZIP archive, not a DOCX.');
  let target = MAIN_PART;
  if (archive.has(RELATIONSHIPS)) {
    await readXml(archive, RELATIONSHIPS, {
      open: (name, { Type, Target }) => {
        if (name === 'Relationship' && Type?.endsWith('/officeDocument') && Target)
          target = Target.replace(/^\//, '');
      },
      close: () => undefined,
    });
  }
  if (/^(?:xl|ppt)\//.test(target))
    throw new ExtractionError('unsupported', 'The file is an Office file, but not a DOCX.');
  if (!archive.has(target)) throw new ExtractionError('corrupt', 'The document has no main part.');
  return target;
}

/** Reads the footnotes or the endnotes and keeps them until the main part refers to them. */
class Notes implements XmlHandler {
  private readonly texts = new Map<string, string>();
  private length = 0;
  private key = '';
  private note: { text: WordText; writer: TextWriter } | undefined;

  constructor(private readonly writer: TextWriter) {}

  open(name: string, attributes: Record<string, string>): void {
    if (NOTES.has(name)) this.begin(`${name} ${attributes['w:id']}`);
    else this.note?.text.open(name, attributes);
  }

  close(name: string): void {
    if (!NOTES.has(name)) return this.note?.text.close(name);
    this.note?.writer.flush();
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
    const writer = new TextWriter(new TextSink(Infinity, (piece) => this.keep(piece)));
    this.note = { text: new WordText(writer, this), writer };
  }

  private keep(piece: string): void {
    this.length += piece.length;
    this.writer.requireRoomFor(this.length);
    this.texts.set(this.key, (this.texts.get(this.key) ?? '') + piece);
  }
}

class WordText implements XmlHandler {
  private depth = 0;
  private skippedFrom = -1;
  private textDepth = -1;
  private hidden = false;
  private item = false;
  private afterItem = false;
  /** Notes of the current paragraph. */
  private notes: string[] = [];
  private readonly tables: TableWriter;

  constructor(
    private readonly writer: TextWriter,
    private readonly allNotes: Notes,
  ) {
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (SKIPPED.has(name)) this.skippedFrom = this.depth;
    else if (name === TEXT) this.textDepth = this.depth;
    else if (name === 'p') this.openParagraph();
    else if (name === 'r') this.hidden = false;
    else if (name === 'tab' || name === 'ptab') this.writer.flow(' ');
    else if (name === 'br' || name === 'cr') this.tables.newline();
    else if (name === 'noBreakHyphen') this.writer.flow('-');
    else if (name === 'tbl') this.tables.open();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
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
    if (this.textDepth === this.depth && this.skippedFrom < 0 && !this.hidden) this.writer.flow(text);
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
