import { type Type as Class } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsObject,
  ValidateNested,
  IsInt,
  Max,
  Min,
} from 'class-validator';
import { AsSent } from '../validation/known-fields';
import { field, type FieldOptions } from './field';

interface IntegerOptions extends FieldOptions {
  min: number;
  max: number;
}

const DIGITS = /^\d{1,16}$/;

/** A whole number of a JSON body. A text is not converted. */
export function IntegerField(options: IntegerOptions): PropertyDecorator {
  const { min, max } = options;
  const message = `must be a whole number from ${min} to ${max}`;
  return field(
    options,
    { type: 'integer', minimum: min, maximum: max },
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** A whole number of a query or a path, which arrives as text. */
export function IntegerParameter(options: IntegerOptions): PropertyDecorator {
  const fromText = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && DIGITS.test(value) ? Number(value) : value,
  );
  const asInteger = IntegerField(options);
  return (target, property) => {
    fromText(target, property);
    asInteger(target, property);
  };
}

export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field(options, { type: 'boolean' }, IsBoolean({ message: 'must be true or false' }));
}

/** A flag of a query: `true` or `false`. */
export function FlagParameter(options: FieldOptions): PropertyDecorator {
  const fromText = Transform(({ value }: { value: unknown }) =>
    value === 'true' ? true : value === 'false' ? false : value,
  );
  const asBoolean = BooleanField(options);
  return (target, property) => {
    fromText(target, property);
    asBoolean(target, property);
  };
}

/** @nestjs/swagger recognises a function that returns a class by its name, `type`. */
function lazy(classOf: () => Class): () => Class {
  const type = () => classOf();
  return type;
}

/** An object of another DTO class. */
export function ObjectField(type: () => Class, options: FieldOptions): PropertyDecorator {
  return field(
    options,
    { type: lazy(type) },
    IsObject({ message: 'must be an object' }),
    Type(type),
    ValidateNested({ message: 'must be an object' }),
  );
}

export interface ListOptions extends FieldOptions {
  minItems?: number;
  maxItems: number;
}

const listSizes = ({ minItems = 0, maxItems }: ListOptions) => [
  IsArray({ message: 'must be a list' }),
  ...(minItems > 0 ? [ArrayMinSize(minItems, { message: `must have at least ${minItems} entries` })] : []),
  ArrayMaxSize(maxItems, { message: `must have at most ${maxItems} entries` }),
];

const listSchema = ({ minItems = 0, maxItems }: ListOptions) => ({
  isArray: true,
  ...(minItems > 0 && { minItems }),
  maxItems,
});

/** A list of objects of another DTO class. */
export function ObjectListField(type: () => Class, options: ListOptions): PropertyDecorator {
  return field(
    options,
    { type: lazy(type), ...listSchema(options) },
    ...listSizes(options),
    Type(type),
    // ValidateNested passes over null.
    IsObject({ each: true, message: 'must be a list of objects' }),
    ValidateNested({ each: true, message: 'must be a list of objects' }),
  );
}

/** A list of texts, with the validators of each entry (`{ each: true }`) and the schema of an entry. */
export function TextListField(
  options: ListOptions,
  entrySchema: { pattern?: string; minLength?: number; maxLength?: number; enum?: string[] },
  ...entryValidators: PropertyDecorator[]
): PropertyDecorator {
  const { minItems = 0, maxItems } = options;
  return field(
    options,
    { type: 'array', items: { type: 'string', ...entrySchema }, ...(minItems > 0 && { minItems }), maxItems },
    ...listSizes(options),
    ...entryValidators,
  );
}

/** A JSON object of any content. It is passed on as it was sent. */
export function JsonObjectField(options: FieldOptions): PropertyDecorator {
  return field(
    options,
    { type: 'object', additionalProperties: true },
    AsSent(),
    IsObject({ message: 'must be an object' }),
  );
}
