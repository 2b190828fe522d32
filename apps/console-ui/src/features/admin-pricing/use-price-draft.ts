import { useState } from 'react';
import { changesBetween } from './lines/line-changes';
import { keyOfLine, type LineChange, type LineUnit, parsePrice, type PriceLine } from './lines/price-line';
import { type PriceList } from './price-list-queries';

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

const draftOf = ({ name, unit, price }: PriceLine): DraftLine => ({
  name,
  unit,
  before: price,
  text: price.toString(),
  isRemoved: false,
});

/** The lines of a list with changes that are not published yet. */
function draftWith({ lines }: PriceList, changes: readonly LineChange[]): DraftLine[] {
  const byKey = new Map(changes.map((change) => [keyOfLine(change), change]));
  const known = lines.map((line) => {
    const change = byKey.get(keyOfLine(line));
    byKey.delete(keyOfLine(line));
    if (!change) return draftOf(line);
    return { ...draftOf(line), text: (change.after ?? line.price).toString(), isRemoved: !change.after };
  });
  const added = [...byKey.values()].map(({ name, unit, after }) => ({
    name,
    unit,
    before: undefined,
    text: after?.toString() ?? '',
    isRemoved: false,
  }));
  return [...known, ...added];
}

/** The editor's state: a list, and what was made of it. */
export function usePriceDraft(loaded: PriceList, units: readonly LineUnit[]) {
  const [base, setBase] = useState(loaded);
  const [lines, setLines] = useState(() => draftWith(loaded, []));
  const change = (key: string, part: Partial<DraftLine>) =>
    setLines((all) => all.map((line) => (keyOfLine(line) === key ? { ...line, ...part } : line)));
  const shown = units.length > 0 ? [...lines, ...missingLines(lines, units)] : lines;
  const typed = shown.filter(({ isRemoved }) => !isRemoved);
  const after = typed.flatMap(({ name, unit, text }) => {
    const price = parsePrice(text, unit);
    return price ? [{ name, unit, price }] : [];
  });
  return {
    base,
    lines: shown,
    isValid: after.length === typed.length,
    changes: changesBetween(base.lines, after),
    setText: (line: DraftLine, text: string) =>
      setLines((all) =>
        all.some((one) => keyOfLine(one) === keyOfLine(line))
          ? all.map((one) => (keyOfLine(one) === keyOfLine(line) ? { ...one, text } : one))
          : [...all, { ...line, text }],
      ),
    /** Removes a line; one that is not published disappears. */
    remove: (line: DraftLine) =>
      line.before
        ? change(keyOfLine(line), { isRemoved: true })
        : setLines((all) => all.filter((one) => keyOfLine(one) !== keyOfLine(line))),
    add: (line: PriceLine) => setLines((all) => [...all, { ...draftOf(line), before: undefined }]),
    /** Takes a change back. */
    undo: (key: string) =>
      setLines((all) =>
        all.flatMap((line) => {
          if (keyOfLine(line) !== key) return [line];
          return line.before ? [{ ...line, text: line.before.toString(), isRemoved: false }] : [];
        }),
      ),
    /** Goes on from a newer list. */
    rebase: (list: PriceList, changes: readonly LineChange[]) => {
      setBase(list);
      setLines(draftWith(list, changes));
    },
  };
}

export type PriceDraft = ReturnType<typeof usePriceDraft>;

/** Lines that a list always has, before they have a price. */
const missingLines = (lines: DraftLine[], units: readonly LineUnit[]): DraftLine[] =>
  units
    .filter((unit) => !lines.some((line) => line.unit === unit))
    .map((unit) => ({ name: '', unit, before: undefined, text: '', isRemoved: false }));
