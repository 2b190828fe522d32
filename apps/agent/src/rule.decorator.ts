import { ValidateBy, type ValidationArguments } from 'class-validator';

/**
 * A rule that a field decorator cannot express, such as one across fields: the message is given unless `accepts` returns true.
 * It stands above the field decorator, and so is checked after it.
 */
export function Rule<Value>(
  name: string,
  accepts: (value: Value, dto: Record<string, unknown>) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown, checked?: ValidationArguments) =>
        accepts(value as Value, (checked?.object ?? {}) as Record<string, unknown>),
      defaultMessage: () => message,
    },
  });
}
