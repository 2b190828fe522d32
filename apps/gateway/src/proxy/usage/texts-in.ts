/** Deepest nesting at which text is read; calls of tools and parts of answers are less deep. */
const MAX_DEPTH = 100;

/** Returns the texts in a value, without those of the fields with these names. */
export function textsIn(value: unknown, except: Set<string>, into: string[] = [], depth = 0): string[] {
  if (typeof value === 'string') into.push(value);
  if (value === null || typeof value !== 'object' || depth === MAX_DEPTH) return into;
  if (Array.isArray(value)) for (const inner of value) textsIn(inner, except, into, depth + 1);
  else
    for (const [name, inner] of Object.entries(value))
      if (!except.has(name)) textsIn(inner, except, into, depth + 1);
  return into;
}
