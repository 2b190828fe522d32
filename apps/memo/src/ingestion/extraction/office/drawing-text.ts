import { type Omissions } from '../omissions';
import { type XmlHandler } from '../package/xml-part';
import { TableWriter } from '../text/table-writer';
import { type TextWriter } from '../text/text-writer';

/** Placeholders that repeat on each slide or only show a number. */
const MARGINAL = new Set(['sldNum', 'dt', 'hdr', 'ftr']);
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
  private isMarginal = false;
  private readonly tables: TableWriter;

  constructor(
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
  ) {
    this.tables = new TableWriter(writer);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth++;
    if (this.skippedFrom >= 0) return;
    if (name === 'Fallback' || NUMBERS.has(name) || (name === 'txBody' && this.isMarginal))
      this.skippedFrom = this.depth;
    else if (TEXTS.has(name)) this.textDepth = this.depth;
    else if (name === 'sp') this.openShape();
    else if (name === 'ph') this.isMarginal = MARGINAL.has(attributes.type ?? '');
    else if (name === 'pic') this.omissions.add('picture');
    else if (name === 'oleObj') this.omissions.add('embedded_file');
    else if (LINES.has(name)) this.tables.newline();
    else if (name === 'tbl') this.tables.open();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.tables.openCell();
  }

  close(name: string): void {
    const depth = this.depth--;
    if (this.skippedFrom >= 0) {
      if (depth === this.skippedFrom) this.skippedFrom = -1;
      return;
    }
    if (depth === this.textDepth) this.textDepth = -1;
    else if (depth === this.shapeDepth) this.closeShape();
    else if (name === 'tc') this.tables.closeCell();
    else if (name === 'tbl') this.tables.close();
  }

  text(text: string): void {
    if (this.skippedFrom < 0 && this.textDepth === this.depth) this.writer.flow(text);
  }

  private openShape(): void {
    this.shapeDepth = this.depth;
    this.isMarginal = false;
    this.writer.block();
  }

  private closeShape(): void {
    this.shapeDepth = -1;
    this.isMarginal = false;
    this.writer.block();
  }
}
