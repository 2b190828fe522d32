import { field, type FieldOptions } from '@inference/dto';
import { InvalidAmountError } from '@inference/money';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { type DecimalBounds, exactDecimal, needsText } from './money-fields';

export interface AmountOptions extends FieldOptions, Omit<DecimalBounds, 'decimals'> {
  /** Most decimals; a function if they depend on other fields, as they were sent. */
  decimals: number | ((sent: Record<string, unknown>) => number);
  /** Refuses amounts for which it returns false, with the message. */
  rule?: [accepts: (scaled: bigint) => boolean, message: string];
}

/**
 * An exact decimal: a JSON number, or a text if the bounds allow more digits than a JSON number keeps. The DTO holds it as bigint in
 * units of 10^-decimals.
 */
export function AmountField({ decimals, max, rule, ...options }: AmountOptions): PropertyDecorator {
  const scaled = ({ value, obj }: { value: unknown; obj: Record<string, unknown> }) => {
    try {
      const bounds = { decimals: typeof decimals === 'number' ? decimals : decimals(obj), max };
      const isAmount = typeof value === 'number' || (typeof value === 'string' && needsText(bounds));
      return isAmount ? exactDecimal(value, bounds) : value;
    } catch (error) {
      if (error instanceof InvalidAmountError) return error;
      throw error;
    }
  };
  const faultOf = (value: unknown): string | null => {
    if (value instanceof InvalidAmountError) return value.message;
    if (typeof value !== 'bigint') return 'must be a number';
    return rule && !rule[0](value) ? rule[1] : null;
  };
  return field(
    options,
    // With the type of the field, bigint, the document would say `int64`.
    typeof decimals !== 'number' || needsText({ decimals, max })
      ? { type: Object, oneOf: [{ type: 'number' }, { type: 'string' }] }
      : { type: 'number' },
    Transform(scaled),
    ValidateBy({
      name: 'isAmount',
      validator: {
        validate: (value: unknown) => faultOf(value) === null,
        defaultMessage: (checked?: ValidationArguments) => faultOf(checked?.value) ?? '',
      },
    }),
  );
}
