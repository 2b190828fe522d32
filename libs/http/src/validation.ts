import { BadRequestException, Body, type PipeTransform, Query } from '@nestjs/common';
import { type z } from 'zod';

/** More than any sensible request has, and few enough for whatever walks through the value later. */
const MAX_DEPTH = 100;
/** PostgreSQL keeps no NUL in text and no half of a surrogate pair in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

interface Fault {
  path: string;
  message: string;
}

/** What no schema looks for and no query can take; refusing it here spares every handler from it. */
function findUnstorable(value: unknown, path: string, depth = 0): Fault | undefined {
  if (typeof value === 'string') {
    const message = 'must not contain NUL characters or halves of surrogate pairs';
    return UNSTORABLE.test(value) ? { path, message } : undefined;
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth === MAX_DEPTH) return { path, message: `must not be nested more than ${MAX_DEPTH} levels deep` };
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = path ? `${path}.${key}` : key;
    const found = findUnstorable(key, path, depth) ?? findUnstorable(inner, innerPath, depth + 1);
    if (found) return found;
  }
  return undefined;
}

const sayMissing = (issue: { code?: string; input?: unknown }) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined;

/** What the schema makes of a value; throws a BadRequestException that names each faulty field. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const unstorable = findUnstorable(value, '');
  if (unstorable) throw new BadRequestException(`${unstorable.path || 'value'}: ${unstorable.message}`);
  const result = schema.safeParse(value, { error: sayMissing });
  if (result.success) return result.data;
  throw new BadRequestException(
    result.error.issues
      .map(({ path, message }) => (path.length ? `${path.map(String).join('.')}: ${message}` : message))
      .join('; '),
  );
}

class ZodPipe implements PipeTransform {
  constructor(private readonly schema: z.ZodType) {}

  transform(value: unknown): unknown {
    return checked(this.schema, value);
  }
}

/** The request body, valid by the schema; otherwise 400 naming each faulty field. */
export const ValidBody = (schema: z.ZodType) => Body(new ZodPipe(schema));

/** The query string, valid by the schema; otherwise 400 naming each faulty parameter. */
export const ValidQuery = (schema: z.ZodType) => Query(new ZodPipe(schema));
