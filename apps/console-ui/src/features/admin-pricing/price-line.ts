import { type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { readAmount } from '../../figures/typed-amount';

export type PriceUnit = Schemas['ModelPriceResponse']['unit'];
/** What a line is the price of: a unit of a model, an hour of a GPU, or what training counts. */
export type LineUnit = PriceUnit | 'hour' | 'training_tokens' | 'training_hour';

/** One price of a list. */
export interface PriceLine {
  /** Name of the model or GPU; empty for training. */
  name: string;
  unit: LineUnit;
  price: Figure;
}

/** What becomes of one price: `after` is undefined if it is removed, `before` if it is new. */
export interface LineChange {
  name: string;
  unit: LineUnit;
  before: Figure | undefined;
  after: Figure | undefined;
}

/** Identifies a price within its list. */
export const keyOfLine = ({ name, unit }: Pick<PriceLine, 'name' | 'unit'>): string => `${unit} ${name}`;

const MOST = Figure.of('1000000');
/** The services count in trillionths of a token, request or hour; prices of tokens are for a million of them. */
const DECIMALS = 12;
const DECIMALS_OF_A_MILLION = 6;

const DECIMALS_OF: Record<LineUnit, number> = {
  per_million_tokens: DECIMALS_OF_A_MILLION,
  per_million_input_tokens: DECIMALS_OF_A_MILLION,
  per_million_output_tokens: DECIMALS_OF_A_MILLION,
  per_request: DECIMALS,
  hour: DECIMALS,
  training_tokens: DECIMALS_OF_A_MILLION,
  training_hour: DECIMALS,
};

export const isLineUnit = (text: unknown): text is LineUnit =>
  typeof text === 'string' && Object.hasOwn(DECIMALS_OF, text);

/** Undefined if the text is not a price that the service takes. */
export function parsePrice(text: string, unit: LineUnit): Figure | undefined {
  const price = readAmount(text, DECIMALS_OF[unit]);
  return price && price.compare(MOST) <= 0 ? price : undefined;
}

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
interface Conflict {
  mine: LineChange;
  /** What the other one published; undefined: removed. */
  theirs: Figure | undefined;
}

interface Merge {
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
