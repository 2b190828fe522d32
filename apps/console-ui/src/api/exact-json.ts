import { parse, stringify } from 'lossless-json';
import { Figure } from '../figures/figure';

const FIGURES_AS_NUMBERS = { test: (item: unknown) => item instanceof Figure, stringify: String };

/** Parses JSON. Every number becomes a Figure. Throws a SyntaxError. */
export const parseExact = (text: string): unknown => parse(text, undefined, (number) => Figure.of(number));

/** Writes what `parseExact` reads: every Figure as a number with all its digits. */
export const stringifyFigures = (value: unknown): string =>
  stringify(value, undefined, undefined, [FIGURES_AS_NUMBERS]) ?? '';

/** Every decimal number of so many digits is a double, too; the services refuse a JSON number of more. */
const DIGITS_OF_A_DOUBLE = 15;

const isDouble = (figure: Figure): boolean =>
  String(figure).replace(/\D/g, '').replace(/^0+/, '').length <= DIGITS_OF_A_DOUBLE;

/** Writes JSON. Figures become numbers with all their digits, or texts if a double has not so many: the services take both. */
export const stringifyExact = (value: unknown): string =>
  stringify(
    value,
    (_name, item) => (item instanceof Figure && !isDouble(item) ? String(item) : item),
    undefined,
    [FIGURES_AS_NUMBERS],
  ) ?? '';
