import { ExtractionError } from '../../../tables/extraction-error';
import { XLSX } from '../../../tables/media-type';
import { type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { Package, type Relation } from '../package/package';
import { type XmlHandler } from '../package/xml-part';
import { DrawingText } from './drawing-text';
import { CellFormats } from './cell-formats';
import { columnOf, SheetText, unescaped } from './sheet-text';

/** Parts that a drawing shows. */
const DRAWN_PARTS = new Set(['chart', 'chartEx', 'diagramData']);

interface Sheet {
  name: string;
  part: string;
  isHidden: boolean;
}

/** All characters of the shared strings; each is held once, however many cells show it. */
const MAX_SHARED_CHARACTERS = 128 * 1024 * 1024;

/** Reads the visible sheets of a workbook: their names, rows, comments and shapes. */
export function readXlsx(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    const office = await Package.open(bytes, XLSX);
    await new Workbook(office, output).read();
  });
}

class Workbook {
  private strings: string[] = [];
  private formats = new CellFormats();

  constructor(
    private readonly office: Package,
    private readonly output: ReadingOutput,
  ) {}

  async read(): Promise<void> {
    const { office, output } = this;
    const relations = await office.relationsOf(office.mainPart);
    const partOf = (type: string) =>
      relations.find((one) => one.type === type && office.has(one.target))?.target;
    const [strings, styles] = [partOf('sharedStrings'), partOf('styles')];
    const sheets = await this.readSheets(relations);
    if (styles !== undefined) await office.readXml(styles, this.formats);
    if (strings !== undefined) this.strings = await this.readStrings(strings);
    const total = sheets.reduce((sum, { part }) => sum + office.size(part), 0);
    let done = 0;
    for (const sheet of sheets) {
      await this.readSheet(sheet);
      done += office.size(sheet.part);
      output.onProgress(done, total);
    }
  }

  /** The sheets in the order of their tabs. */
  private async readSheets(relations: Relation[]): Promise<Sheet[]> {
    const targets = new Map(relations.map(({ id, target }) => [id, target]));
    const sheets: Sheet[] = [];
    await this.office.readXml(this.office.mainPart, {
      open: (name, attributes) => {
        if (name === 'workbookPr') this.formats.hasEpoch1904 = isTrue(attributes.date1904);
        if (name !== 'sheet') return;
        const part = targets.get(attributes['r:id'] ?? '') ?? '';
        if (!this.office.has(part)) return this.output.omissions.add('missing_part');
        const isHidden = (attributes.state ?? 'visible') !== 'visible';
        sheets.push({ name: attributes.name ?? '', part, isHidden });
      },
      close: () => undefined,
    });
    return sheets;
  }

  private async readStrings(part: string): Promise<string[]> {
    const strings = new SharedStrings((count) => this.output.omissions.add('reading_aid', count));
    await this.office.readXml(part, strings);
    return strings.all;
  }

  private async readSheet({ name, part, isHidden }: Sheet): Promise<void> {
    const { office } = this;
    const { writer, omissions } = this.output;
    const rows = new SheetText(this.output, this.strings, this.formats, isHidden);
    if (!isHidden) {
      writer.block();
      writer.flow(name);
      writer.block();
    }
    await office.readXml(part, rows);
    rows.end();
    if (isHidden) return;
    for (const { type, target, isExternal } of await office.relationsOf(part)) {
      if (isExternal || !office.has(target)) continue;
      writer.block();
      if (type === 'drawing') await this.readDrawing(target);
      else if (type === 'comments') await office.readXml(target, new Comments(this.output));
      else if (type === 'oleObject' || type === 'package') omissions.add('embedded_file');
    }
    writer.block();
  }

  private async readDrawing(part: string): Promise<void> {
    const { office } = this;
    const { writer, omissions } = this.output;
    await office.readXml(part, new DrawingText(writer, omissions));
    for (const { type, target } of await office.relationsOf(part)) {
      if (!DRAWN_PARTS.has(type) || !office.has(target)) continue;
      writer.block();
      await office.readXml(target, new DrawingText(writer, omissions));
    }
  }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** Collects the strings that cells refer to by their number. */
class SharedStrings implements XmlHandler {
  readonly all: string[] = [];
  private current = '';
  private length = 0;
  private inText = false;
  private phonetic = 0;

  constructor(private readonly countReadingAid: (characters: number) => void) {}

  open(name: string): void {
    if (name === 'si') this.current = '';
    else if (name === 'rPh') this.phonetic++;
    else if (name === 't') this.inText = true;
  }

  close(name: string): void {
    if (name === 't') this.inText = false;
    else if (name === 'rPh') this.phonetic--;
    else if (name === 'si') this.all.push(unescaped(this.current));
  }

  text(text: string): void {
    if (!this.inText) return;
    if (this.phonetic > 0) return this.countReadingAid(text.length);
    this.length += text.length;
    if (this.length > MAX_SHARED_CHARACTERS)
      throw new ExtractionError('too_complex', 'The cells of the workbook hold too much text.');
    this.current += text;
  }
}

/** Writes the comments of a sheet, each behind the name of its cell. */
class Comments implements XmlHandler {
  private inText = false;

  constructor(private readonly output: ReadingOutput) {}

  open(name: string, attributes: Record<string, string>): void {
    const { writer } = this.output;
    if (name === 't') this.inText = true;
    if (name !== 'comment') return;
    writer.line();
    if (columnOf(attributes.ref) > 0) writer.flow(`${attributes.ref}: `);
  }

  close(name: string): void {
    if (name === 't') this.inText = false;
  }

  text(text: string): void {
    if (this.inText) this.output.writer.flow(unescaped(text));
  }
}
