import { type Type } from '@nestjs/common';
import { type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { schemasOf } from '../fields/field';
import { UnknownFields } from './field-fault';

type Fields = Record<string, unknown>;

/** What stands in the place of a JSON object of any content while class-transformer walks the fields around it. */
const sentObjects = new WeakMap<object, unknown>();

/** Property decorator: the DTO gets the object of any content that was sent, or whatever was sent in its place. */
export const AsSent = (): PropertyDecorator =>
  Transform(({ obj, key }: { obj: Fields; key: string }) => {
    const value = obj[key];
    return typeof value === 'object' && value !== null ? (sentObjects.get(value) ?? value) : value;
  });

const namesOfClasses = new WeakMap<object, Set<string>>();

/** The names of the fields that the validators of a class judge, also of those that it takes over from another class. */
function namesOf(dtoClass: object): Set<string> {
  const known = namesOfClasses.get(dtoClass);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dtoClass as Type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  namesOfClasses.set(dtoClass, names);
  return names;
}

export interface KnownFields {
  /** A copy of the value with nothing but what the validators judge. */
  known: Fields;
  unknown: UnknownFields;
}

/**
 * Separates the fields of an object that its DTO class has, also in objects of other DTO classes within, from all others. The
 * copy is small whatever was sent: class-transformer takes a time that grows with the square of the fields of each object that it
 * walks, and walks objects where a text is expected, and all of a list that is too long.
 */
export function readKnownFields(dtoClass: object, value: object): KnownFields {
  const unknown = new UnknownFields();
  return { known: copyOf(dtoClass, value as Fields, '', unknown), unknown };
}

interface ListSchema {
  isArray?: boolean;
  type?: unknown;
  maxItems?: number;
}

function copyOf(dtoClass: object, value: Fields, above: string, unknown: UnknownFields): Fields {
  const names = namesOf(dtoClass);
  const schemas = schemasOf(dtoClass);
  const copy: Fields = {};
  // Not the entries: of an object with 100,000 fields they take three times as long.
  for (const key of Object.keys(value)) {
    if (names.has(key))
      copy[key] = copyOfField(schemas[key] ?? {}, value[key], above ? `${above}.${key}` : key, unknown);
    else unknown.add(above, key);
  }
  return copy;
}

function copyOfField(
  schema: ApiPropertyOptions,
  value: unknown,
  path: string,
  unknown: UnknownFields,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const nested = classOf(schema);
  const copyOfEntry = (entry: unknown, entryPath: string) =>
    nested && isObject(entry) ? copyOf(nested, entry, entryPath, unknown) : emptied(entry);
  if (Array.isArray(value)) {
    const { isArray, type, maxItems = Infinity } = schema as ListSchema;
    if (isArray !== true && type !== 'array') return [];
    // One entry too many is enough to be refused.
    return value.slice(0, maxItems + 1).map((entry, index) => copyOfEntry(entry, `${path}.${index}`));
  }
  if (nested) return copyOfEntry(value, path);
  const stand: object = {};
  sentObjects.set(stand, value);
  return stand;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object or a list where the class expects neither, without its content. */
function emptied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

/** The DTO class of the objects that a field holds. */
function classOf({ type }: ApiPropertyOptions): Type | undefined {
  return typeof type === 'function' && type !== Object ? (type as () => Type)() : undefined;
}
