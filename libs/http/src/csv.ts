const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets calculate a cell that begins with one of these. They take the wide forms for the narrow ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The apostrophe makes a spreadsheet show the text as it is. Customers choose names that staff exports. */
const asText = (text: string) => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns one line of CSV (RFC 4180), with its end. No cell is a formula: numbers stay as they are, other texts get an apostrophe. */
export const csvLine = (values: readonly string[]): string =>
  `${values.map((value) => quoted(asText(value))).join(',')}\r\n`;

/** The same for programs, which take every value as it is: a spreadsheet calculates a text that looks like a formula. */
export const exactCsvLine = (values: readonly string[]): string => `${values.map(quoted).join(',')}\r\n`;
