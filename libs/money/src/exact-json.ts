import { LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON number that keeps all its digits; it is never converted to a float. */
export type ExactNumber = LosslessNumber;

/** Creates an exact JSON number from a decimal text. */
export function exactNumber(decimal: string): ExactNumber {
  return new LosslessNumber(decimal);
}

/** Returns the JSON text of a value that may contain exact numbers and bigints. */
export function stringifyExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Parses JSON with all numbers as exact numbers. Throws SyntaxError for invalid JSON. */
export function parseExact(text: string): unknown {
  return parse(text);
}
