import { ExtractionError } from '../../../tables/extraction-error';
import { type OmissionKind, type Omissions } from '../../../tables/omission';
import { type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { type ChainedStyle, inherited } from '../package/style-chain';
import { readXml, type XmlHandler } from '../package/xml-part';
import { ZipArchive } from '../package/zip-archive';
import { BULLET, ListStyles, OdtLists } from './odt-lists';
import { CapturedText, type TextWriter } from '../text/text-writer';
import { TableWriter } from '../text/table-writer';

const CONTENT = 'content.xml';
const STYLES = 'styles.xml';
const MANIFEST = 'META-INF/manifest.xml';
/** Elements whose text is not that of the document. */
const SKIPPED = new Map<string, OmissionKind | undefined>([
  ['tracked-changes', 'deleted_text'],
  ['ruby-text', 'reading_aid'],
  ['forms', undefined],
  ['scripts', undefined],
  ['sequence-decls', undefined],
  ['note-citation', undefined],
  ['creator-initials', undefined],
]);
/** What an annotation says of itself; elsewhere these are fields that show text. */
const OF_ANNOTATION = new Set(['creator', 'date']);
const THINGS = new Map<string, OmissionKind>([
  ['image', 'picture'],
  ['object', 'embedded_file'],
  ['object-ole', 'embedded_file'],
  ['plugin', 'embedded_file'],
]);
const BODY = new Set(['text']);
const MARGINS = new Set(['header', 'footer'].flatMap((name) => [name, `${name}-left`, `${name}-first`]));
const PARAGRAPHS = new Set(['p', 'h']);
const ASIDES = new Set(['note', 'annotation']);
/** Spaces that one element may stand for. */
const MAX_SPACES = 200;

/** Reads a text of OpenDocument (ISO 26300): its body with notes and comments, then the headers and footers. */
export function readOdt(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  const { writer, omissions, onProgress } = output;
  return readDamaged(async () => {
    const archive = await ZipArchive.open(bytes);
    if (!archive.has(CONTENT))
      throw new ExtractionError('unsupported', 'The file is a ZIP archive, not an ODT.');
    if (archive.has(MANIFEST)) await readXml(archive, MANIFEST, REFUSE_ENCRYPTED);
    const total = archive.size(CONTENT);
    const styles = new OdtStyles();
    // Styles of the text are based on those of the other part.
    if (archive.has(STYLES)) await readXml(archive, STYLES, styles);
    await readXml(archive, CONTENT, new OdtText(writer, omissions, BODY, styles));
    if (archive.has(STYLES)) await readXml(archive, STYLES, new OdtText(writer, omissions, MARGINS, styles));
    onProgress(total, total);
  });
}

const REFUSE_ENCRYPTED: XmlHandler = {
  open: (name) => {
    if (name === 'encryption-data')
      throw new ExtractionError('encrypted', 'The document is protected by a password.');
  },
  close: () => undefined,
};

interface OdtStyle extends ChainedStyle {
  isHidden?: boolean | null;
  /** The list style of its paragraphs; empty if they are in no list. */
  listName?: string | null;
}

/** Collects which styles hide their text, and those of lists. */
class OdtStyles implements XmlHandler {
  readonly lists = new ListStyles();
  private readonly styles = new Map<string, OdtStyle>();
  private style: OdtStyle = {};

  open(name: string, attributes: Record<string, string>): void {
    const { 'text:display': display } = attributes;
    this.lists.open(name, attributes);
    if (name === 'style') {
      this.style = {
        base: attributes['style:parent-style-name'],
        listName: attributes['style:list-style-name'],
      };
      this.styles.set(attributes['style:name'] ?? '', this.style);
    } else if (name === 'text-properties' && display !== undefined) this.style.isHidden = display === 'none';
  }

  close(name: string): void {
    if (name === 'style') this.style = {};
  }

  hides(name: string | undefined): boolean {
    return inherited<'isHidden', boolean>(this.styles, name, 'isHidden') ?? false;
  }

  /** Whether a style takes the number from the headings that have it. */
  endsNumbering(name: string | undefined): boolean {
    return inherited<'listName', string>(this.styles, name, 'listName') === '';
  }
}

/** Whether a section or paragraph is hidden, by itself or because its condition is met. */
const isHidden = (name: string, attributes: Record<string, string>): boolean =>
  (name === 'section' && attributes['text:display'] === 'none') || attributes['text:is-hidden'] === 'true';

/** A footnote or a comment, while it is read: where the text of the paragraph goes on after it. */
interface Aside {
  depth: number;
  captured: CapturedText;
  outer: { writer: TextWriter; tables: TableWriter; paragraphs: number; notes: string[] };
}

/** Writes the text of the elements `scope`. */
class OdtText implements XmlHandler {
  private depth = 0;
  private scopes = 0;
  private skippedFrom = -1;
  private skippedAs: OmissionKind | undefined;
  private hiddenFrom = -1;
  private paragraphs = 0;
  private readonly lists: OdtLists;
  /** Whether the number of the paragraph is known, so that a stored one is left out. */
  private isLabelled = false;
  /** Depth of the innermost open paragraph. */
  private paragraph = -1;
  private readonly asides: Aside[] = [];
  /** The texts of the asides of the current paragraph. */
  private notes: string[] = [];
  private tables: TableWriter;
  /** The text of a header or footer, which stands in the file once for each kind of pages. */
  private margin: CapturedText | undefined;
  private readonly margins = new Set<string>();
  private readonly document: TextWriter;

  constructor(
    private writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly scope: Set<string>,
    private readonly styles: OdtStyles,
  ) {
    this.document = writer;
    this.lists = new OdtLists(styles.lists);
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.scopes === 0) this.styles.open(name, attributes);
    if (this.scope.has(name)) this.openScope();
    if (this.scopes === 0 || this.skippedFrom >= 0) return;
    if (THINGS.has(name)) this.omissions.add(THINGS.get(name)!);
    if (this.hiddenFrom < 0) this.hide(name, attributes);
    if (
      SKIPPED.has(name) ||
      (OF_ANNOTATION.has(name) && this.isDirectlyInAside) ||
      (name === 'number' && this.isLabelled)
    ) {
      this.skippedFrom = this.depth;
      this.skippedAs = SKIPPED.get(name);
    } else if (PARAGRAPHS.has(name)) this.openParagraph(name, attributes);
    else if (ASIDES.has(name)) this.openAside();
    else this.openOther(name, attributes);
  }

  close(name: string): void {
    const depth = this.depth--;
    if (depth === this.hiddenFrom) this.hiddenFrom = -1;
    if (this.skippedFrom >= 0) {
      if (depth === this.skippedFrom) this.skippedFrom = -1;
      return;
    }
    if (this.scopes === 0) return;
    if (this.scope.has(name)) this.closeScope();
    else if (depth === this.asides.at(-1)?.depth) this.closeAside();
    else if (PARAGRAPHS.has(name)) this.closeParagraph();
    else if (name === 'table-cell') this.tables.closeCell();
    else if (name === 'table') this.tables.close();
    else if (name === 'list') this.closeList();
  }

  text(text: string): void {
    if (this.scopes === 0) return;
    if (this.skippedFrom >= 0) {
      if (this.skippedAs) this.omissions.add(this.skippedAs, text.trim().length);
    } else if (this.paragraphs === 0) return;
    else if (this.hiddenFrom >= 0) this.omissions.add('hidden_text', text.trim().length);
    else this.writer.flow(text);
  }

  private openOther(name: string, attributes: Record<string, string>): void {
    if (name === 's')
      this.writer.flow(' '.repeat(Math.min(MAX_SPACES, Number(attributes['text:c'] ?? 1) || 1)));
    else if (name === 'tab') this.writer.flow(' ');
    else if (name === 'line-break') this.tables.newline();
    else if (name === 'list') this.lists.open(attributes);
    else if (name === 'list-item') this.openItem(attributes);
    else if (name === 'list-header') this.lists.openHeader();
    else if (name === 'table') this.tables.open();
    else if (name === 'table-row') this.tables.openRow();
    else if (name === 'table-cell' || name === 'covered-table-cell') this.tables.openCell();
  }

  private hide(name: string, attributes: Record<string, string>): void {
    if (isHidden(name, attributes))
      this.hiddenFrom = name === 'hidden-paragraph' ? this.paragraph : this.depth;
    else if (this.styles.hides(attributes['text:style-name'])) this.hiddenFrom = this.depth;
  }

  private get isDirectlyInAside(): boolean {
    return this.asides.at(-1)?.depth === this.depth - 1;
  }

  private openScope(): void {
    this.scopes++;
    if (this.scope !== MARGINS) return;
    this.margin = new CapturedText(this.document);
    this.useWriter(this.margin.writer);
  }

  private closeScope(): void {
    this.scopes--;
    const text = this.margin?.take() ?? '';
    this.margin = undefined;
    this.useWriter(this.document);
    if (text === '' || this.margins.has(text)) return;
    this.margins.add(text);
    this.writer.block();
    this.writer.verbatim(text);
  }

  private useWriter(writer: TextWriter): void {
    this.writer = writer;
    this.tables = new TableWriter(writer);
  }

  private openParagraph(name: string, attributes: Record<string, string>): void {
    this.paragraphs++;
    this.paragraph = this.depth;
    if (this.lists.depth > 0) this.tables.newline();
    else this.tables.breakBlock();
    this.isLabelled = false;
    if (this.hiddenFrom < 0 && this.paragraphs === 1) this.writeLabel(name === 'h' ? attributes : undefined);
  }

  /** @param heading the attributes of a paragraph that is one */
  private writeLabel(heading: Record<string, string> | undefined): void {
    const isItem = this.lists.depth > 0;
    const isHeading = heading !== undefined && !this.styles.endsNumbering(heading['text:style-name']);
    const label = isItem ? this.lists.takeLabel() : isHeading ? this.lists.headingLabel(heading) : '';
    this.isLabelled = label !== '';
    if (label === '') return;
    const indent = '  '.repeat(Math.min(8, Math.max(0, this.lists.depth - 1)));
    if (!this.tables.inCell) this.writer.prefix(indent + label);
    // In a table the text before the next word is the cell separator.
    else if (label !== BULLET) this.writer.flow(label);
  }

  /** Notes are written after the paragraph, because within it they would split its sentences. */
  private closeParagraph(): void {
    this.paragraphs--;
    const isItem = this.lists.depth > 0;
    // A text box stands in a paragraph.
    if (this.paragraphs > 0) return isItem ? this.tables.newline() : this.tables.breakBlock();
    for (const note of this.notes) this.writer.flow(` [${note}]`);
    this.notes = [];
    // The number of an empty item does not stand before the next text.
    if (!this.tables.inCell) this.writer.prefix('');
    if (!isItem) this.tables.breakBlock();
  }

  private openItem(attributes: Record<string, string>): void {
    this.tables.newline();
    this.lists.openItem(attributes);
  }

  private closeList(): void {
    this.lists.close();
    if (this.lists.depth === 0) this.tables.breakBlock();
  }

  private openAside(): void {
    const { depth, writer, tables, paragraphs, notes } = this;
    const captured = new CapturedText(this.document);
    this.asides.push({ depth, captured, outer: { writer, tables, paragraphs, notes } });
    this.useWriter(captured.writer);
    this.paragraphs = 0;
    this.notes = [];
  }

  private closeAside(): void {
    const { captured, outer } = this.asides.pop()!;
    Object.assign(this, outer);
    const text = captured.take().replace(/\s+/g, ' ');
    if (text !== '') this.notes.push(text);
  }
}
