import PDFDocument from 'pdfkit';
import { legible } from '../documents/legible';
import { invoiceFonts } from './fonts';

const MARGIN = 48;
const BLACK = '#1a1a1a';
const GREY = '#555555';
const LINE_GAP = 2;
const ROW_GAP = 6;
/** What a rule begins should not be on another page. */
const RULED_HEIGHT = 30;
const FOOTER_HEIGHT = 24;
const MISSING = '□';

/** Joiners, selectors and the like, which show nothing by themselves. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

export interface Cell {
  text: string;
  /** In points from the left margin. */
  x: number;
  width: number;
  /** In points, 10 unless told. */
  size?: number;
  bold?: boolean;
  grey?: boolean;
  align?: 'left' | 'center' | 'right';
}

/** What pdfkit keeps of the font that is in use; its types do not show it. */
interface FontInUse {
  _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

export interface SheetInfo {
  title: string;
  /** Says on each page, when there are several, what it belongs to. */
  footer: string;
  createdAt: Date;
}

/** A4 pages that are filled from top to bottom, in rows as high as what is in them. */
export class InvoiceSheet {
  readonly width: number;
  private readonly pdf: PDFKit.PDFDocument;
  private readonly bottom: number;
  private y = MARGIN;

  constructor(private readonly info: SheetInfo) {
    const { title, createdAt } = info;
    this.pdf = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN - FOOTER_HEIGHT },
      bufferPages: true,
      lang: 'zh-CN',
      displayTitle: true,
      pdfVersion: '1.7',
      // The same sheet gets the same bytes: pdfkit makes the file's id of these.
      info: { Title: title, CreationDate: createdAt },
    });
    const { regular, bold } = invoiceFonts();
    this.pdf.registerFont('regular', regular).registerFont('bold', bold);
    this.width = this.pdf.page.width - 2 * MARGIN;
    this.bottom = this.pdf.page.height - MARGIN;
  }

  /** Cells beside each other. */
  row(cells: Cell[], gap = ROW_GAP): void {
    const heights = cells.map((cell) =>
      this.use(cell).heightOfString(this.printable(cell.text), options(cell)),
    );
    const height = Math.max(...heights);
    this.makeRoom(height);
    for (const cell of cells)
      this.use(cell).text(this.printable(cell.text), MARGIN + cell.x, this.y, options(cell));
    this.y += height + gap;
  }

  rule(weight = 0.5): void {
    this.makeRoom(RULED_HEIGHT);
    const end = MARGIN + this.width;
    this.pdf.lineWidth(weight).strokeColor(BLACK).moveTo(MARGIN, this.y).lineTo(end, this.y).stroke();
    this.y += ROW_GAP;
  }

  space(height: number): void {
    this.y += height;
  }

  /** The finished file, for the reader to take. */
  end(): PDFKit.PDFDocument {
    const { start, count } = this.pdf.bufferedPageRange();
    for (let page = start; count > 1 && page < count; page++) {
      this.pdf.switchToPage(page);
      const text = `${this.info.footer}  ${page + 1} / ${count}`;
      const footer: Cell = { text, x: 0, width: this.width, size: 8, grey: true, align: 'right' };
      this.use(footer).text(this.printable(text), MARGIN, this.bottom + ROW_GAP, options(footer));
    }
    this.pdf.end();
    return this.pdf;
  }

  private makeRoom(height: number): void {
    if (this.y + height <= this.bottom) return;
    this.pdf.addPage();
    this.y = MARGIN;
  }

  private use({ size = 10, bold = false, grey = false }: Cell): PDFKit.PDFDocument {
    return this.pdf
      .font(bold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(grey ? GREY : BLACK);
  }

  /** In the font that is in use: what it cannot show has a box in its place. */
  private printable(text: string): string {
    const { font } = (this.pdf as unknown as FontInUse)._font;
    return Array.from(legible(text).replace(IGNORABLE, ''), (character) =>
      font.hasGlyphForCodePoint(character.codePointAt(0)!) ? character : MISSING,
    ).join('');
  }
}

const options = ({ width, align = 'left' }: Cell) => ({ width, align, lineGap: LINE_GAP });
