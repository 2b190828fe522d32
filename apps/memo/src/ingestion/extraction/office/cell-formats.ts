import { format, isDateFormat } from 'numfmt';
import { type XmlHandler } from '../package/xml-part';

/** The built-in number formats (ISO 29500-1, 18.8.30). Dates whose form depends on the reader's country are written as ISO 8601. */
const BUILT_IN = new Map<number, string>([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'yyyy-mm-dd'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'yyyy-mm-dd h:mm'],
  [37, '#,##0;-#,##0'],
  [38, '#,##0;-#,##0'],
  [39, '#,##0.00;-#,##0.00'],
  [40, '#,##0.00;-#,##0.00'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);
/** Formats of East Asian dates in the reader's calendar. */
const LOCAL_DATES = { first: 27, last: 36, second: 50, end: 58 };
/** Days from 1900 to 1904, from which some workbooks count. */
const DAYS_TO_1904 = 1462;
/** Formats beyond this length are taken for damage. */
const MAX_FORMAT_CHARACTERS = 255;

/** Writes the numbers of cells as a spreadsheet shows them. Reads the part of the styles. */
export class CellFormats implements XmlHandler {
  hasEpoch1904 = false;
  private readonly codes = new Map(BUILT_IN);
  /** The number of the format of each cell style. */
  private readonly styles: number[] = [];
  private inCellStyles = false;

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'numFmt') this.codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
    else if (name === 'cellXfs') this.inCellStyles = true;
    else if (name === 'xf' && this.inCellStyles) this.styles.push(Number(attributes.numFmtId ?? 0));
  }

  close(name: string): void {
    if (name === 'cellXfs') this.inCellStyles = false;
  }

  /** @param digits the stored value; @param style the number of the cell's style */
  shown(digits: string, style: number): string {
    const value = Number(digits);
    const id = this.styles[style] ?? 0;
    const code = this.codes.get(id) ?? (isLocalDate(id) ? 'yyyy-mm-dd' : 'General');
    if (digits === '' || !Number.isFinite(value)) return digits;
    if (code === 'General' || code === '' || code.length > MAX_FORMAT_CHARACTERS) return plain(digits, value);
    try {
      const days = this.hasEpoch1904 && isDateFormat(code) ? value + DAYS_TO_1904 : value;
      const shown = format(code, days, { throws: true });
      // A format may hide a number, such as `;;;`; the number is in the file.
      return shown.trim() === '' ? plain(digits, value) : shown;
    } catch {
      return plain(digits, value);
    }
  }
}

const isLocalDate = (id: number): boolean =>
  (id >= LOCAL_DATES.first && id <= LOCAL_DATES.last) || (id >= LOCAL_DATES.second && id <= LOCAL_DATES.end);

/** A number as people type it. Programs store binary fractions with 17 digits; people see 15. */
const plain = (digits: string, value: number): string =>
  /^-?\d{1,15}$/.test(digits) ? digits : String(Number(value.toPrecision(15)));
