import { type ReadingOutput } from '../format-reader';
import { type XmlHandler } from '../package/xml-part';
import { type CellFormats } from './cell-formats';

/** Empty cells in a row between two filled ones that are written. Rows with longer gaps are no table. */
const MAX_GAP = 30;

/** The number of the column of a cell such as `AB12`, from 1; 0 without one. */
export function columnOf(cell: string | undefined): number {
  const [letters = ''] = /^[A-Z]{1,3}(?=\d)/.exec(cell ?? '') ?? [];
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0);
}

const ESCAPED = /_x([\da-f]{4})_/gi;

/** A string of a cell, in which characters may be escaped (ISO 29500-1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** What heads and feet of the printed pages hold besides text: fonts, sizes, colours, page numbers, dates and names of files. */
const CODES = /&(?:"[^"]*"|K(?:[\da-f]{6}|\d{2}[+-]\d{3})|\d+|[a-z])/gi;
const MARGIN = /^(?:odd|even|first)(?:Header|Footer)$/;

/** Writes the rows of a sheet, one line for each. The text of a hidden sheet is counted only. */
export class SheetText implements XmlHandler {
  private value = '';
  private isValue = false;
  private type = 'n';
  private style = 0;
  private column = 0;
  /** The column of the last cell that was written in this row. */
  private written = 0;
  private phonetic = 0;
  private hidden = 0;
  private margin: string | undefined;
  private readonly margins = new Set<string>();

  constructor(
    private readonly output: ReadingOutput,
    private readonly strings: string[],
    private readonly formats: CellFormats,
    private readonly isHidden: boolean,
  ) {}

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'c') this.openCell(attributes);
    else if (name === 'v' || name === 't') this.isValue = this.phonetic === 0;
    else if (name === 'rPh') this.phonetic++;
    else if (name === 'row') this.openRow();
    else if (MARGIN.test(name)) this.margin = '';
  }

  close(name: string): void {
    if (name === 'c') this.closeCell();
    else if (name === 'v' || name === 't') this.isValue = false;
    else if (name === 'rPh') this.phonetic--;
    else if (MARGIN.test(name)) this.closeMargin();
  }

  text(text: string): void {
    if (this.margin !== undefined) this.margin += text;
    if (this.isValue) this.value += text;
  }

  end(): void {
    const { writer, omissions } = this.output;
    omissions.add('hidden_text', this.hidden);
    if (this.isHidden) return;
    for (const text of this.margins) {
      writer.block();
      writer.flow(text);
    }
  }

  private closeMargin(): void {
    const parts = this.margin!.split('&&').map((part) => part.replace(CODES, ' '));
    const text = parts.join('&').replace(/\s+/g, ' ').trim();
    if (/\p{L}/u.test(text)) this.margins.add(text);
    this.margin = undefined;
  }

  private openRow(): void {
    this.column = 0;
    this.written = 0;
    if (!this.isHidden) this.output.writer.line();
  }

  private openCell({ r, t = 'n', s = '0' }: Record<string, string>): void {
    this.column = columnOf(r) || this.column + 1;
    this.type = t;
    this.style = Number(s);
    this.value = '';
  }

  private closeCell(): void {
    const text = this.shown().trim();
    if (text === '') return;
    if (this.isHidden) {
      this.hidden += text.length;
      return;
    }
    const { writer } = this.output;
    const gap = this.written === 0 ? 0 : Math.min(MAX_GAP, this.column - this.written);
    for (let n = 0; n < gap; n++) writer.separator('|');
    writer.flow(text);
    this.written = this.column;
  }

  private shown(): string {
    const { value, type } = this;
    if (type === 's') return this.strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value;
    return type === 'n' ? this.formats.shown(value, this.style) : unescaped(value);
  }
}
