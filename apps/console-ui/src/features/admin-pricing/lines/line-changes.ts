import { type Figure } from '../../../figures/figure';
import { keyOfLine, type LineChange, type PriceLine } from './price-line';

const linesByKey = (lines: readonly PriceLine[]) => new Map(lines.map((line) => [keyOfLine(line), line]));

const isSame = (one: Figure | undefined, other: Figure | undefined): boolean =>
  one && other ? one.equals(other) : one === other;

/** How a list differs from the one before, in the order of the former list, new prices at the end. */
export function changesBetween(before: readonly PriceLine[], after: readonly PriceLine[]): LineChange[] {
  const [old, now] = [linesByKey(before), linesByKey(after)];
  return [...new Map([...old, ...now])]
    .map(([key, { name, unit }]) => ({
      name,
      unit,
      before: old.get(key)?.price,
      after: now.get(key)?.price,
    }))
    .filter((change) => !isSame(change.before, change.after));
}

/** A price that two people have changed to different amounts. */
export interface Conflict {
  mine: LineChange;
  /** What the other one published; undefined: removed. */
  theirs: Figure | undefined;
}

export interface Merge {
  /** My changes as changes of the list of the other one, without those that it has already. */
  changes: LineChange[];
  conflicts: Conflict[];
}

/** Bases my changes on what somebody else published meanwhile. A conflict is among the changes, too: mine counts at first. */
export function mergeChanges(mine: readonly LineChange[], theirs: readonly PriceLine[]): Merge {
  const published = linesByKey(theirs);
  const based = mine.map((change) => ({ mine: change, theirs: published.get(keyOfLine(change))?.price }));
  return {
    changes: based
      .map((one) => ({ ...one.mine, before: one.theirs }))
      .filter(({ before, after }) => !isSame(before, after)),
    conflicts: based.filter(
      (one) => !isSame(one.theirs, one.mine.before) && !isSame(one.theirs, one.mine.after),
    ),
  };
}
