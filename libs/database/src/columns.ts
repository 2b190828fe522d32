import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';

type Options = Omit<ColumnOptions, 'type' | 'transformer'>;

const EXACT_INTEGER: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: bigint | string | null) => (value === null ? null : BigInt(value)),
};
const EXACT_DECIMAL: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: bigint | string | null) => (value === null ? null : String(value)),
};

/** `timestamptz`, a Date. */
export const TimeColumn = (options: Options = {}): PropertyDecorator =>
  Column({ ...options, type: 'timestamptz' });

/** An id or a count: PostgreSQL's bigint, a bigint of JavaScript. */
export const BigIntColumn = (options: Options = {}): PropertyDecorator =>
  Column({ ...options, type: 'bigint', transformer: EXACT_INTEGER });

/** Money in 10⁻¹² of the site's currency: `numeric(38)`, a bigint. */
export const PicosColumn = (options: Options = {}): PropertyDecorator =>
  Column({ ...options, type: 'numeric', precision: 38, scale: 0, transformer: EXACT_INTEGER });

/** A sum of counts, which `bigint` may not hold: `numeric(38)`, a bigint. */
export const CountColumn = (options: Options = {}): PropertyDecorator =>
  Column({ ...options, type: 'numeric', precision: 38, scale: 0, transformer: EXACT_INTEGER });

/** A decimal number such as an exchange rate: `numeric`, its exact text. */
export const DecimalColumn = (options: Options & { precision: number; scale: number }): PropertyDecorator =>
  Column({ ...options, type: 'numeric', transformer: EXACT_DECIMAL });
