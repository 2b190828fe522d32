import { type TextWriter } from './text-writer';

/** Writes tables: one line per row, with `|` between cells. Tables may be nested. */
export class TableWriter {
  private readonly tables: { inCell: boolean; firstCell: boolean }[] = [];

  constructor(private readonly writer: TextWriter) {}

  get inCell(): boolean {
    return this.tables.at(-1)?.inCell ?? false;
  }

  open(): void {
    this.tables.push({ inCell: false, firstCell: true });
  }

  close(): void {
    this.tables.pop();
    this.writer.block();
  }

  openRow(): void {
    this.writer.line();
    const table = this.tables.at(-1);
    if (table) Object.assign(table, { inCell: false, firstCell: true });
  }

  openCell(): void {
    const table = this.tables.at(-1);
    if (!table) return this.writer.flow(' ');
    if (!table.firstCell) this.writer.separator('|');
    Object.assign(table, { inCell: true, firstCell: false });
  }

  closeCell(): void {
    const table = this.tables.at(-1);
    if (table) table.inCell = false;
  }

  /** A row stays on one line, whatever its cells contain. */
  newline(): void {
    if (this.inCell) this.writer.flow(' ');
    else this.writer.line();
  }

  breakBlock(): void {
    if (this.inCell) this.writer.flow(' ');
    else this.writer.block();
  }
}
