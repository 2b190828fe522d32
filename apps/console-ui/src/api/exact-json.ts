import { parse, stringify } from 'lossless-json';
import { Figure } from '../figures/figure';

/** Parses JSON. Every number becomes a Figure. Throws a SyntaxError. */
export const parseExact = (text: string): unknown => parse(text, undefined, (number) => Figure.of(number));

/** Figures become JSON numbers with all their digits. */
export const stringifyExact = (value: unknown): string =>
  stringify(value, undefined, undefined, [
    { test: (item) => item instanceof Figure, stringify: (item) => String(item) },
  ]) ?? '';
