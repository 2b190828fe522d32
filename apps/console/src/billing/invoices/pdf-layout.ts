import { readFileSync } from 'node:fs';
import PDFDocument from 'pdfkit';
import { toPrintableLine } from '../documents/print-formats';

const REGULAR = require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf');
const BOLD = require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf');

let loaded: { regular: Buffer; bold: Buffer } | undefined;

/** Noto Sans SC, 20 MB; read for the first invoice and kept in memory. */
function loadInvoiceFonts(): { regular: Buffer; bold: Buffer } {
  return (loaded ??= { regular: readFileSync(REGULAR), bold: readFileSync(BOLD) });
}

const MARGIN = 48;
const BLACK = '#1a1a1a';
const GREY = '#555555';
const LINE_GAP = 2;
const ROW_GAP = 6;
/** Space kept below a rule, so that a page break does not separate it from the rows it starts. In points. */
const RULED_HEIGHT = 30;
const FOOTER_HEIGHT = 24;
const MISSING = '□';

/** Joiners, variation selectors and other characters without a glyph of their own. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

export interface Cell {
  text: string;
  /** In points from the left margin. */
  x: number;
  width: number;
  /** In points; 10 by default. */
  size?: number;
  bold?: boolean;
  grey?: boolean;
  align?: 'left' | 'center' | 'right';
}

/** The current font of pdfkit, which its types do not declare. */
interface FontInUse {
  _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

export interface PdfLayoutOptions {
  title: string;
  /** Shown on each page if there are several. */
  footer: string;
  createdAt: Date;
}

/** Lays out A4 pages from top to bottom, in rows as high as their highest cell. */
export class PdfLayout {
  readonly width: number;
  private readonly pdf: PDFKit.PDFDocument;
  private readonly bottom: number;
  private y = MARGIN;

  constructor(private readonly info: PdfLayoutOptions) {
    const { title, createdAt } = info;
    this.pdf = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN - FOOTER_HEIGHT },
      bufferPages: true,
      lang: 'zh-CN',
      displayTitle: true,
      pdfVersion: '1.7',
      // pdfkit derives the file's id from these, so the same document gets the same bytes.
      info: { Title: title, CreationDate: createdAt },
    });
    const { regular, bold } = loadInvoiceFonts();
    this.pdf.registerFont('regular', regular).registerFont('bold', bold);
    this.width = this.pdf.page.width - 2 * MARGIN;
    this.bottom = this.pdf.page.height - MARGIN;
  }

  /** Writes one row of cells. */
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

  /** Adds the footers and ends the file. */
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

  /** Replaces characters that the current font lacks by a box. */
  private printable(text: string): string {
    const { font } = (this.pdf as unknown as FontInUse)._font;
    return Array.from(toPrintableLine(text).replace(IGNORABLE, ''), (character) =>
      font.hasGlyphForCodePoint(character.codePointAt(0)!) ? character : MISSING,
    ).join('');
  }
}

const options = ({ width, align = 'left' }: Cell) => ({ width, align, lineGap: LINE_GAP });
