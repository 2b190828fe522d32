import { mergeChanges } from './line-changes';
import { keyOfLine, type LineChange, type LineUnit, type PriceLine } from './price-line';

/** A line as it stands in the editor. */
export interface DraftLine {
  name: string;
  unit: LineUnit;
  /** The price in force; undefined for a new line. */
  before: PriceLine['price'] | undefined;
  /** What is typed. */
  text: string;
  isRemoved: boolean;
}

export const draftOf = ({ name, unit, price }: PriceLine): DraftLine => ({
  name,
  unit,
  before: price,
  text: price.toString(),
  isRemoved: false,
});

/** Whether the line differs from what is published, also by a text that is no price. */
export const isEdited = ({ before, text, isRemoved }: DraftLine): boolean =>
  isRemoved || text !== before?.toString();

/** The lines of a list, some of them as they were edited. Edited lines that the list lacks are new ones. */
export function withEdits(lines: readonly PriceLine[], edited: readonly DraftLine[]): DraftLine[] {
  const byKey = new Map(edited.map((line) => [keyOfLine(line), line]));
  const known = lines.map((line) => {
    const edit = byKey.get(keyOfLine(line));
    byKey.delete(keyOfLine(line));
    return edit ? { ...edit, before: line.price } : draftOf(line);
  });
  return [...known, ...[...byKey.values()].map((edit) => ({ ...edit, before: undefined }))];
}

/**
 * My changes based on what somebody else published meanwhile.
 *
 * @returns the lines of the editor, and the keys of those that both have changed
 */
export function rebased(
  changes: readonly LineChange[],
  theirs: readonly PriceLine[],
): { lines: DraftLine[]; conflicts: ReadonlySet<string> } {
  const merge = mergeChanges(changes, theirs);
  const edited = merge.changes.map(({ name, unit, before, after }) => ({
    name,
    unit,
    before,
    text: (after ?? before)?.toString() ?? '',
    isRemoved: !after,
  }));
  return {
    lines: withEdits(theirs, edited),
    conflicts: new Set(merge.conflicts.map(({ mine }) => keyOfLine(mine))),
  };
}
