const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets calculate a cell that begins with one of these. They take the wide forms for the narrow ones. */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])/;
/** Where the list separator is a semicolon or a tab, these begin a cell in the middle of a text, quoted or not. */
const INNER_FORMULA = /(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g;

/** The apostrophe makes a spreadsheet show the text as it is. Customers choose names that staff exports. */
const asText = (text: string) =>
  NUMBER.test(text) ? text : text.replace(FORMULA, "'").replace(INNER_FORMULA, "'");

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns one line of CSV (RFC 4180), with its end. No cell is a formula: numbers stay as they are, other texts get an apostrophe. */
export const csvLine = (values: readonly string[]): string =>
  `${values.map((value) => quoted(asText(value))).join(',')}\r\n`;

/**
 * The same for programs, which take every value as it is: a spreadsheet calculates a text that looks like a formula. Only for names of
 * a limited alphabet, never for text that somebody has written.
 */
export const exactCsvLine = (values: readonly string[]): string => `${values.map(quoted).join(',')}\r\n`;
