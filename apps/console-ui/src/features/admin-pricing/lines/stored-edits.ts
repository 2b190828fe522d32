import { Figure } from '../../../figures/figure';
import { type DraftLine } from './draft-line';
import { isLineUnit, type LineChange, parsePrice } from './price-line';

/** Edits of a list that are not published, as the browser keeps them over a reload. */
export interface StoredEdits {
  /** Of the list that was edited. */
  version: string;
  /** Only the lines that were edited. */
  lines: DraftLine[];
}

export const editsText = ({ version, lines }: StoredEdits): string =>
  JSON.stringify({
    version,
    lines: lines.map((line) => ({ ...line, before: line.before?.toString() ?? null })),
  });

/** Undefined unless the text holds edits. What the storage of the browser holds anybody may have changed. */
export function parseEdits(text: string | null): StoredEdits | undefined {
  try {
    const { version, lines } = JSON.parse(text ?? '{}') as { version?: unknown; lines?: unknown };
    if (typeof version !== 'string' || !Array.isArray(lines)) return undefined;
    const known = lines.flatMap((line) => parseLine(line) ?? []);
    return known.length > 0 ? { version, lines: known } : undefined;
  } catch {
    return undefined;
  }
}

function parseLine(value: unknown): DraftLine | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, unit, before, text, isRemoved } = value as Record<keyof DraftLine, unknown>;
  if (typeof name !== 'string' || !isLineUnit(unit) || typeof text !== 'string') return undefined;
  return {
    name,
    unit,
    before: typeof before === 'string' ? Figure.parse(before) : undefined,
    text,
    isRemoved: isRemoved === true,
  };
}

/** The edits as changes. A text that is no price changes nothing. */
export const changesOf = (lines: readonly DraftLine[]): LineChange[] =>
  lines.flatMap(({ name, unit, before, text, isRemoved }) => {
    const after = isRemoved ? undefined : parsePrice(text, unit);
    return isRemoved || after ? [{ name, unit, before, after }] : [];
  });
