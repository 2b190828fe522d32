import { field, type FieldOptions } from '@inference/dto';
import { decimalToScaled, InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** A double keeps every decimal of up to 15 significant digits exactly; with more, digits may be lost in JSON parsing. */
const EXACT_DIGITS = 15;

function significantDigits(value: number): number {
  return String(Math.abs(value)).replace(/e.*$/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
    .length;
}

interface DecimalBounds {
  decimals: number;
  /** Largest absolute value, in whole units. */
  max: number;
}

/** Whether an amount within the bounds may have more digits than a JSON number keeps. */
const needsText = ({ decimals, max }: DecimalBounds): boolean => String(max).length + decimals > EXACT_DIGITS;

/**
 * The exact value of a JSON number or decimal text, in units of 10^-decimals. Throws InvalidAmountError if the value is not
 * exact or out of bounds.
 */
function exactDecimal(value: number | string, { decimals, max }: DecimalBounds): bigint {
  if (typeof value === 'number' && significantDigits(value) > EXACT_DIGITS) {
    throw new InvalidAmountError(`has more than ${EXACT_DIGITS} significant digits`);
  }
  const scaled = decimalToScaled(value, decimals);
  const limit = BigInt(max) * 10n ** BigInt(decimals);
  if (scaled > limit || scaled < -limit) throw new InvalidAmountError(`must be at most ${max}`);
  return scaled;
}

/** Money in picos. A trillion is above any wallet's balance. */
export const MONEY_BOUNDS: DecimalBounds = { decimals: PICO_DIGITS, max: 1_000_000_000_000 };

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
