import { type FieldFault } from './field-fault';

/** Deepest nesting of a request value: deeper than any valid request, and shallow enough for recursive code. */
const MAX_DEPTH = 100;
/** PostgreSQL stores neither NUL in text nor unpaired surrogates in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
/** Code that copies an object key by key would set its prototype, or take the value for its class. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor'];

interface Fault {
  /** Names and indices, the innermost first. */
  path: string[];
  message: string;
}

/** Finds what no request may contain: text that PostgreSQL cannot store, nesting that is too deep, fields named `__proto__` or `constructor`. */
export function findHostileInput(value: unknown): FieldFault | undefined {
  const fault = faultIn(value, 0);
  return fault && { path: fault.path.reverse().join('.'), message: fault.message };
}

/** A value may have a million others in it: nothing is made for one without a fault. */
function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return faultOfText(value);
  if (value === null || typeof value !== 'object') return undefined;
  if (depth === MAX_DEPTH)
    return { path: [], message: `must not be nested more than ${MAX_DEPTH} levels deep` };
  return Array.isArray(value) ? faultInList(value, depth) : faultInObject(value, depth);
}

function faultOfText(text: string): Fault | undefined {
  if (!UNSTORABLE.test(text)) return undefined;
  return { path: [], message: 'must not contain NUL characters or halves of surrogate pairs' };
}

function faultInList(list: unknown[], depth: number): Fault | undefined {
  for (let index = 0; index < list.length; index++) {
    const fault = faultIn(list[index], depth + 1);
    if (fault) return within(String(index), fault);
  }
  return undefined;
}

function faultInObject(object: object, depth: number): Fault | undefined {
  for (const key of Object.keys(object)) {
    if (FORBIDDEN_KEYS.includes(key)) return { path: [], message: `must not have a field named ${key}` };
    const ofKey = faultOfText(key);
    if (ofKey) return ofKey;
    const fault = faultIn((object as Record<string, unknown>)[key], depth + 1);
    if (fault) return within(key, fault);
  }
  return undefined;
}

function within(name: string, fault: Fault): Fault {
  fault.path.push(name);
  return fault;
}
