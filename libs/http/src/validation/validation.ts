import { BadRequestException, Body, type PipeTransform, Query } from '@nestjs/common';
import { type z } from 'zod';

/** Deepest nesting of a request value: deeper than any valid request, and shallow enough for recursive code. */
const MAX_DEPTH = 100;
/** PostgreSQL stores neither NUL in text nor unpaired surrogates in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

interface Fault {
  path: string;
  message: string;
}

/** Finds text that PostgreSQL cannot store and nesting that is too deep; schemas check neither. */
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

const missingMessage = (issue: { code?: string; input?: unknown }) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined;

/** Validates a value and returns the output of the schema. Throws BadRequestException that names each invalid field. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const unstorable = findUnstorable(value, '');
  if (unstorable) throw new BadRequestException(`${unstorable.path || 'value'}: ${unstorable.message}`);
  const result = schema.safeParse(value, { error: missingMessage });
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

/** Parameter decorator: the request body, validated by the schema. 400 names each invalid field. */
export const ValidBody = (schema: z.ZodType) => Body(new ZodPipe(schema));

/** Parameter decorator: the query, validated by the schema. 400 names each invalid parameter. */
export const ValidQuery = (schema: z.ZodType) => Query(new ZodPipe(schema));
