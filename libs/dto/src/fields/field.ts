import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsDefined, ValidateIf, type ValidationArguments } from 'class-validator';

/** What all fields of a DTO have in common. A field is required unless `optional`. */
export interface FieldOptions {
  /** For the API document: what the value means, with its unit. */
  description: string;
  example?: unknown;
  /** The field may be absent. */
  optional?: boolean;
  /** The value may be null. */
  nullable?: boolean;
  /** The field must be present and not null, although it is optional or nullable, if the other fields say so. */
  requiredIf?: (dto: Record<string, unknown>) => boolean;
  /** For the API document: the value of an absent field. The class sets it by an initializer. */
  default?: unknown;
}

const DOCUMENTED = Symbol('documented fields');

/** The schemas of the fields of a DTO class by name. */
export const schemasOf = (dtoClass: object): Record<string, ApiPropertyOptions> =>
  (Reflect.getMetadata(DOCUMENTED, dtoClass) as Record<string, ApiPropertyOptions> | undefined) ?? {};

/** The names of the fields of a DTO class. */
export const fieldNamesOf = (dtoClass: object): string[] => Object.keys(schemasOf(dtoClass));

/** The decorators of a field: its presence, its validators (the first that fails gives the message), and its schema. */
export function field(
  options: FieldOptions,
  schema: ApiPropertyOptions,
  ...validators: PropertyDecorator[]
): PropertyDecorator {
  const { description, example, optional = false, nullable = false, default: fallback, requiredIf } = options;
  const isChecked = (dto: object, value: unknown) =>
    (!(value === undefined && optional) && !(value === null && nullable)) ||
    requiredIf?.(dto as Record<string, unknown>) === true;
  const documented = {
    ...schema,
    description,
    ...(example !== undefined && { example }),
    ...(nullable && { nullable }),
    ...(fallback !== undefined && { default: fallback }),
    required: !optional,
  } as ApiPropertyOptions;
  return applyDecorators(
    ValidateIf(isChecked),
    IsDefined({
      message: ({ value }: ValidationArguments) => (value === null ? 'must not be null' : 'is missing'),
    }),
    ...validators,
    ApiProperty(documented),
    remembered(documented),
  );
}

/** Keeps the schema for `schemasOf`. */
function remembered(schema: ApiPropertyOptions): PropertyDecorator {
  return ({ constructor }, name) =>
    Reflect.defineMetadata(DOCUMENTED, { ...schemasOf(constructor), [name]: schema }, constructor);
}
