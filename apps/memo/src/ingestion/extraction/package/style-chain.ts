/** A style, and the name of the one that it is based on. */
export interface ChainedStyle {
  base?: string;
}

/**
 * What a style says, or the nearest of those that it is based on; undefined if none of them says it. It is kept in all styles on the way, so
 * that each of them is visited once, however long their chain is.
 */
export function inherited<K extends string, V>(
  styles: Map<string, ChainedStyle & Partial<Record<K, V | null>>>,
  name: string | undefined,
  key: K,
): V | undefined {
  const passed = new Set<Partial<Record<K, V | null>>>();
  let style = styles.get(name ?? '');
  while (style && style[key] === undefined && !passed.has(style)) {
    passed.add(style);
    style = style.base === undefined ? undefined : styles.get(style.base);
  }
  const found: V | null = style?.[key] ?? null;
  for (const one of passed) one[key] = found;
  return found ?? undefined;
}
