import { type Type } from '@nestjs/common';
import { schemasOf } from '../fields/field';

/**
 * Finds the fields that are named as a member of every object, such as `toString`, in an object of a DTO class and in the objects of
 * other DTO classes within. class-transformer leaves them out, so the validator never refuses them. Returns their paths.
 */
export function findObjectMembers(dtoClass: object, value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [];
  const schemas = schemasOf(dtoClass);
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerPath = path ? `${path}.${key}` : key;
    if (key in Object.prototype) return [innerPath];
    const type = Object.hasOwn(schemas, key) ? schemas[key]!.type : undefined;
    if (typeof type !== 'function') return [];
    const nestedClass = (type as () => Type)();
    if (!Array.isArray(inner)) return findObjectMembers(nestedClass, inner, innerPath);
    return inner.flatMap((entry, index) => findObjectMembers(nestedClass, entry, `${innerPath}.${index}`));
  });
}
