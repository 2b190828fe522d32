import { parse, type Options } from 'csv-parse/sync';
import { type ReadingOutput } from './format-reader';
import { decodeText, detectEncoding } from './text/character-encoding';
import { TableWriter } from './text/table-writer';

/** What separates the fields of a record, the likeliest first where two fit equally well. */
const DELIMITERS = [',', ';', '\t', '|'];
/** How much of a file tells its delimiter. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_RECORDS = 50;
/** Spreadsheets may name the delimiter in a first line of its own. */
const NAMED_DELIMITER = /^sep=([^\r\n"])\r?\n/i;
const LENIENT: Options = {
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
};

/** Reads a table of records (RFC 4180, with any delimiter): one line per record. A file that is no such table is read as it is. */
export function readCsv(bytes: Uint8Array, { writer, onProgress }: ReadingOutput): void {
  let text = '';
  for (const slice of decodeText(bytes, detectEncoding(bytes, false))) text += slice.text;
  const records = recordsOf(text);
  if (records) {
    const table = new TableWriter(writer);
    table.open();
    for (const record of records) {
      table.openRow();
      for (const field of record) {
        table.openCell();
        writer.flow(field);
        table.closeCell();
      }
    }
    table.close();
  } else writer.verbatim(text);
  onProgress(bytes.length, bytes.length);
}

/** Null if quotes are not closed. */
function recordsOf(text: string): string[][] | null {
  const [named = '', delimiter] = NAMED_DELIMITER.exec(text) ?? [];
  return parsed(text.slice(named.length), { delimiter: delimiter ?? delimiterOf(text) });
}

function parsed(text: string, options: Options): string[][] | null {
  try {
    // A space before a quote does not open another field.
    return parse(text, { ...LENIENT, ltrim: options.delimiter !== '\t', ...options }) as string[][];
  } catch {
    return null;
  }
}

/** A comma that stands in no number. */
const COMMA_OUTSIDE_NUMBER = /(?<!\d),|,(?!\d)/;

/** The delimiter by which most records have one number of fields, and then the one that makes most fields. */
function delimiterOf(text: string): string {
  const end = text.lastIndexOf('\n', SAMPLE_CHARACTERS) + 1;
  const sample = text.length > SAMPLE_CHARACTERS && end > 0 ? text.slice(0, end) : text;
  let best = { delimiter: ',', score: 0 };
  // Where each comma may be that of a decimal fraction, a semicolon between the numbers separates them.
  const areDecimal = sample.includes(';') && !COMMA_OUTSIDE_NUMBER.test(sample.replace(/"[^"]*"/g, ''));
  for (const delimiter of areDecimal ? DELIMITERS.slice(1) : DELIMITERS) {
    const records = parsed(sample, { delimiter, to: SAMPLE_RECORDS }) ?? [];
    const widths = records.map(({ length }) => length);
    const usual = Math.max(0, ...widths.filter((width) => width > 1).map((width) => shareOf(widths, width)));
    const width = widths.find((one) => one > 1 && shareOf(widths, one) === usual) ?? 1;
    const score = width > 1 ? usual * Math.log(width + 1) : 0;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

const shareOf = (widths: number[], width: number): number =>
  widths.filter((one) => one === width).length / widths.length;
