import { type FieldFault } from './field-fault';

/** Deepest nesting of a request value: deeper than any valid request, and shallow enough for recursive code. */
const MAX_DEPTH = 100;
/** PostgreSQL stores neither NUL in text nor unpaired surrogates in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
/** Code that copies an object key by key would set its prototype, or take the value for its class. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor'];

/** Finds what no request may contain: text that PostgreSQL cannot store, nesting that is too deep, fields named `__proto__` or `constructor`. */
export function findHostileInput(value: unknown, path = '', depth = 0): FieldFault | undefined {
  if (typeof value === 'string') {
    const message = 'must not contain NUL characters or halves of surrogate pairs';
    return UNSTORABLE.test(value) ? { path, message } : undefined;
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth === MAX_DEPTH) return { path, message: `must not be nested more than ${MAX_DEPTH} levels deep` };
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.includes(key)) return { path, message: `must not have a field named ${key}` };
    const innerPath = path ? `${path}.${key}` : key;
    const found = findHostileInput(key, path, depth) ?? findHostileInput(inner, innerPath, depth + 1);
    if (found) return found;
  }
  return undefined;
}
