import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StreamableFile } from '@nestjs/common';
import { type Response } from 'express';
import { stringifyExact } from '@inference/money';
import { endStalled } from './unread-bodies';

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

/** A client that reads nothing for so long is disconnected: the rows are in memory meanwhile. */
const STALL_MILLIS = 30_000;
/** Rows that are written at once. Measured: a thousand of ten values take two milliseconds. */
const PIECE_ROWS = 1_000;

/** Rows of which each is made when it is written: making a hundred thousand at once takes as long as writing them. */
export interface LongList<Row> extends Iterable<Row> {
  length: number;
}

export const longListOf = <Found, Row>(
  found: LongList<Found>,
  rowOf: (one: Found) => Row,
): LongList<Row> => ({
  length: found.length,
  *[Symbol.iterator]() {
    for (const one of found) yield rowOf(one);
  },
});

/** The JSON of an object whose only member is a list: text if it is short, otherwise a stream that lets other requests have their turn. */
export function listAsJson(
  name: string,
  rows: LongList<object>,
  response: Response,
): string | StreamableFile {
  const [begin, end] = [`{${JSON.stringify(name)}:[`, ']}'];
  if (rows.length <= PIECE_ROWS) return begin + textOf([...rows], stringifyExact, ',') + end;
  endStalled(response, STALL_MILLIS);
  return streamed(rows, stringifyExact, { begin, between: ',', end }, 'application/json; charset=utf-8');
}

/** A CSV text, as `listAsJson`. */
export function listAsCsv(
  header: readonly string[],
  lines: LongList<readonly string[]>,
  response: Response,
): string | StreamableFile {
  const begin = csvLine(header);
  if (lines.length <= PIECE_ROWS) return begin + textOf([...lines], csvLine, '');
  endStalled(response, STALL_MILLIS);
  return streamed(lines, csvLine, { begin, between: '', end: '' }, 'text/csv; charset=utf-8');
}

const textOf = <Row>(rows: readonly Row[], write: (row: Row) => string, between: string): string =>
  rows.map(write).join(between);

function streamed<Row>(
  rows: LongList<Row>,
  write: (row: Row) => string,
  { begin, between, end }: { begin: string; between: string; end: string },
  type: string,
): StreamableFile {
  async function* pieces() {
    yield begin;
    let separator = '';
    let piece: Row[] = [];
    for (const row of rows) {
      piece.push(row);
      if (piece.length < PIECE_ROWS) continue;
      yield separator + textOf(piece, write, between);
      separator = between;
      piece = [];
      await nextTurn();
    }
    yield (piece.length > 0 ? separator : '') + textOf(piece, write, between) + end;
  }
  return (
    new StreamableFile(Readable.from(pieces()), { type })
      // A client sees that the list is not complete.
      .setErrorHandler((_error, response) => response.destroy?.())
  );
}
