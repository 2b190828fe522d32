import { type Omissions } from '../../../tables/omission';
import { type XmlHandler } from '../package/xml-part';
import { AutoNumbers } from './auto-numbers';
import { CapturedText, type TextWriter } from '../text/text-writer';
import { TableWriter } from '../text/table-writer';

/** Placeholders that show a number or a date of their own. */
const NUMBERING = new Set(['sldNum', 'dt']);
/** Placeholders whose text repeats on each slide. */
const MARGINS = new Set(['hdr', 'ftr']);
/** Elements whose text is shown: that of DrawingML, of comments, and the stored strings of a chart. */
const TEXTS = new Set(['t', 'text', 'v']);
/** Elements that begin a line: paragraphs, breaks, points of charts and diagrams, comments. */
const LINES = new Set(['p', 'br', 'pt', 'cm']);
/** The numbers of a chart are in the sheet that it shows. */
const NUMBERS = new Set(['numCache', 'numLit']);

/** Writes the text of shapes, tables, charts and diagrams (ISO 29500, DrawingML). */
export class DrawingText implements XmlHandler {
  private depth = 0;
  private textDepth = -1;
  private skippedFrom = -1;
  private shapeDepth = -1;
  private isSkipped = false;
  private margin: CapturedText | undefined;
  private outer: TextWriter;
  private readonly tables: TableWriter;
  private numbers = new AutoNumbers();

  /**
   * @param margins receives the texts of headers and footers, which are then not written
   * @param isMaster whether placeholders hold no text of the document
   */
  constructor(
    private writer: TextWriter,
    private readonly omissions: Omissions,
    private readonly margins = new Set<string>(),
    private readonly isMaster = false,
  ) {
    this.outer = writer;
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (name === 'Fallback' || NUMBERS.has(name) || (name === 'txBody' && this.isSkipped))
      this.skippedFrom = this.depth;
    else if (TEXTS.has(name)) this.textDepth = this.depth;
    else if (name === 'sp') this.openShape();
    else if (name === 'ph') this.place(attributes.type ?? '');
    else if (name === 'pic') this.omissions.add('picture');
    else if (name === 'oleObj') this.omissions.add('embedded_file');
    else if (name === 'txBody') this.numbers = new AutoNumbers();
    else if (LINES.has(name)) this.openLine(name);
    else if (name === 'tbl') this.tables.open();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
    else this.numbers.open(name, attributes);
  }

  close(name: string): void {
    const depth = this.depth--;
    if (this.skippedFrom >= 0) {
      if (depth === this.skippedFrom) this.skippedFrom = -1;
      return;
    }
    if (depth === this.textDepth) this.textDepth = -1;
    else if (depth === this.shapeDepth) this.closeShape();
    else if (name === 'p') this.closeParagraph();
    else if (name === 'tc') this.tables.closeCell();
    else if (name === 'tbl') this.tables.close();
  }

  text(text: string): void {
    if (this.skippedFrom >= 0 || this.textDepth !== this.depth) return;
    const label = text.trim() === '' ? '' : this.numbers.take();
    // In a table the text before the next word is the cell separator.
    if (label !== '' && this.tables.inCell) this.writer.flow(label);
    else if (label !== '') this.writer.prefix(label);
    this.writer.flow(text);
  }

  private openLine(name: string): void {
    this.tables.newline();
    if (name === 'p') this.numbers.openParagraph();
  }

  private closeParagraph(): void {
    // The number of a paragraph that shows nothing does not stand before the next text.
    if (!this.tables.inCell) this.writer.prefix('');
  }

  private openShape(): void {
    this.shapeDepth = this.depth;
    this.writer.block();
  }

  private place(placeholder: string): void {
    this.isSkipped = this.isMaster || NUMBERING.has(placeholder);
    if (!MARGINS.has(placeholder) || this.isMaster) return;
    this.margin = new CapturedText(this.writer);
    [this.writer, this.outer] = [this.margin.writer, this.writer];
  }

  private closeShape(): void {
    this.shapeDepth = -1;
    this.isSkipped = false;
    if (this.margin) {
      this.margins.add(this.margin.take());
      this.writer = this.outer;
      this.margin = undefined;
    }
    this.writer.block();
  }
}
