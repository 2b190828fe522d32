import { type Type } from '@nestjs/common';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import { type ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { fieldNamesOf, schemasOf } from '../fields/field';
import { type FieldFault } from './field-fault';

interface Constraint {
  isMet(dto: object, value: unknown): boolean;
  messageFor(dto: object, value: unknown): string;
}

interface CompiledField {
  name: string;
  isChecked(dto: object, value: unknown): boolean;
  constraints: Constraint[];
  /** Of the object that the field holds. */
  nested: Validator | undefined;
}

export type Validator = (value: object) => FieldFault[];

/**
 * Returns a function that finds the faults of an object by the validators of a DTO class, one for each field. It takes 1 µs where
 * `validated` takes 16 (ADR 5), because it reads the decorators once and makes no instance: it converts nothing, and unknown
 * fields pass. Throws for validators of list entries.
 */
export function compileValidator(dtoClass: Type): Validator {
  const fields = fieldNamesOf(dtoClass).map((name) => compileField(dtoClass, name));
  return (value) => {
    const faults: FieldFault[] = [];
    for (const field of fields) addFaults(field, value as Record<string, unknown>, faults);
    return faults;
  };
}

function addFaults(field: CompiledField, dto: Record<string, unknown>, faults: FieldFault[]): void {
  const { name: path, isChecked, constraints, nested } = field;
  const value = dto[path];
  if (!isChecked(dto, value)) return;
  const broken = constraints.find((constraint) => !constraint.isMet(dto, value));
  if (broken) faults.push({ path, message: broken.messageFor(dto, value) });
  else if (nested)
    for (const inner of nested(value as object)) faults.push({ ...inner, path: `${path}.${inner.path}` });
}

function compileField(dtoClass: Type, name: string): CompiledField {
  const all = getMetadataStorage()
    .getTargetValidationMetadatas(dtoClass, '', false, false)
    .filter(({ propertyName }) => propertyName === name);
  if (all.some(({ each }) => each)) throw new Error(`${dtoClass.name}.${name}: lists are not supported.`);
  const ofType = (...types: string[]) => all.filter(({ type }) => types.includes(type));
  const conditions = ofType(ValidationTypes.CONDITIONAL_VALIDATION).map(
    ({ constraints }) => constraints[0] as (dto: object, value: unknown) => boolean,
  );
  const isNested = ofType(ValidationTypes.NESTED_VALIDATION).length > 0;
  return {
    name,
    isChecked: (dto, value) => conditions.every((isMet) => isMet(dto, value)),
    constraints: ofType(ValidationTypes.IS_DEFINED, ValidationTypes.CUSTOM_VALIDATION).flatMap((metadata) =>
      constraintsOf(dtoClass, metadata),
    ),
    nested: isNested ? compileValidator((schemasOf(dtoClass)[name]!.type as () => Type)()) : undefined,
  };
}

function constraintsOf(
  dtoClass: Type,
  { propertyName, constraintCls, constraints, message }: ValidationMetadata,
): Constraint[] {
  const argumentsOf = (object: object, value: unknown): ValidationArguments => ({
    targetName: dtoClass.name,
    property: propertyName,
    constraints,
    object,
    value,
  });
  const messageFor = (dto: object, value: unknown) =>
    typeof message === 'function' ? message(argumentsOf(dto, value)) : message;
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => ({
      isMet: (dto, value) => instance.validate(value, argumentsOf(dto, value)) === true,
      messageFor,
    }));
}
