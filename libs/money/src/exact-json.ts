import { LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON number whose digits are written as they are, however many: never through a float. */
export type ExactNumber = LosslessNumber;

export function exactNumber(decimal: string): ExactNumber {
  return new LosslessNumber(decimal);
}

/** JSON text of a value that may contain exact numbers and bigints. */
export function stringifyExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** The value of such a text, its numbers as exact numbers. */
export function parseExact(text: string): unknown {
  return parse(text);
}
