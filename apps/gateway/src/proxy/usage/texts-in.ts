/** Deepest nesting at which text is read; calls of tools and parts of answers are less deep. */
const MAX_DEPTH = 100;

/**
 * Adds the texts in a value to a list, without those of the fields with these names. Returns how many values it has visited; it stops
 * after `most` of them.
 */
export function collectTexts(
  value: unknown,
  except: Set<string>,
  into: string[],
  most = Infinity,
  depth = 0,
): number {
  if (typeof value === 'string') into.push(value);
  if (value === null || typeof value !== 'object' || depth === MAX_DEPTH) return 1;
  let visited = 1;
  const visit = (inner: unknown) => (visited += collectTexts(inner, except, into, most - visited, depth + 1));
  if (Array.isArray(value)) for (let i = 0; i < value.length && visited < most; i++) visit(value[i]);
  else
    // `Object.entries` takes four times as long.
    for (const name of Object.keys(value)) {
      if (visited >= most) break;
      if (!except.has(name)) visit((value as Record<string, unknown>)[name]);
    }
  return visited;
}

/** Returns the texts in a value, without those of the fields with these names. */
export function textsIn(value: unknown, except: Set<string>): string[] {
  const texts: string[] = [];
  collectTexts(value, except, texts);
  return texts;
}
