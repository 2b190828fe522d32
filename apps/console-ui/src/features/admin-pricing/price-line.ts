import { type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { readAmount } from '../../figures/typed-amount';
import { type PriceTerms } from '../pricing/pricing-queries';

export type PriceUnit = Schemas['ModelPriceResponse']['unit'];
/** What a line is the price of: a unit of a model, an hour of a GPU, or what training counts. */
export type LineUnit = PriceUnit | 'hour' | 'training_tokens' | 'training_hour';

/** One price of a list. */
export interface PriceLine {
  /** Name of the model or GPU; empty for training. */
  name: string;
  unit: LineUnit;
  /** When the price of a model holds; absent: always. */
  terms?: PriceTerms | undefined;
  price: Figure;
}

/** What becomes of one price: `after` is undefined if it is removed, `before` if it is new. */
export interface LineChange {
  name: string;
  unit: LineUnit;
  terms?: PriceTerms | undefined;
  before: Figure | undefined;
  after: Figure | undefined;
  /** Of an upcoming price: the one that it replaces when it becomes effective. */
  replaced?: Figure | undefined;
}

/** Identifies a price within its list. */
export const keyOfLine = ({ name, unit, terms }: Pick<PriceLine, 'name' | 'unit' | 'terms'>): string =>
  [unit, name, terms?.min_input_tokens, terms?.service_tier, terms?.hours, terms?.effective_from]
    .filter((part) => part !== undefined)
    .map(String)
    .join(' ');

const MOST = Figure.of('1000000');
/** The services count in trillionths of a token, request or hour; prices of tokens are for a million of them. */
const DECIMALS = 12;
const DECIMALS_OF_A_MILLION = 6;

const DECIMALS_OF: Record<LineUnit, number> = {
  per_million_tokens: DECIMALS_OF_A_MILLION,
  per_million_input_tokens: DECIMALS_OF_A_MILLION,
  per_million_cached_input_tokens: DECIMALS_OF_A_MILLION,
  per_million_cache_write_tokens: DECIMALS_OF_A_MILLION,
  per_million_cache_write_1h_tokens: DECIMALS_OF_A_MILLION,
  per_million_output_tokens: DECIMALS_OF_A_MILLION,
  per_million_reasoning_tokens: DECIMALS_OF_A_MILLION,
  per_million_audio_input_tokens: DECIMALS_OF_A_MILLION,
  per_million_audio_output_tokens: DECIMALS_OF_A_MILLION,
  per_million_characters: DECIMALS_OF_A_MILLION,
  per_request: DECIMALS,
  per_image: DECIMALS,
  per_audio_minute: DECIMALS,
  per_search: DECIMALS,
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

const HUNDRED = Figure.of('100');
const HALF = Figure.of('0.5');
const ONE_AND_A_HALF = Figure.of('1.5');

/** The price after a change by so many percent, rounded to the decimals of its unit. Undefined if the service takes no such price. */
export function changedByPercent(price: Figure, percent: Figure, unit: LineUnit): Figure | undefined {
  const exact = price.times(HUNDRED.plus(percent)).dividedByTenTo(2);
  if (exact.isNegative) return undefined;
  const decimals = DECIMALS_OF[unit];
  const rounded = exact.minus(HALF.dividedByTenTo(decimals)).roundedUpTo(decimals);
  return rounded.compare(MOST) <= 0 ? rounded : undefined;
}

/** Whether a price rises or falls by half or more, which may be a slip of a digit. */
export const isLargeChange = ({
  before,
  after,
  replaced,
}: Pick<LineChange, 'before' | 'after' | 'replaced'>): boolean =>
  [before, replaced].some(
    (former) =>
      former !== undefined &&
      after !== undefined &&
      !former.isZero &&
      (after.compare(former.times(ONE_AND_A_HALF)) >= 0 || after.compare(former.times(HALF)) <= 0),
  );

const linesByKey = (lines: readonly PriceLine[]) => new Map(lines.map((line) => [keyOfLine(line), line]));

const isSame = (one: Figure | undefined, other: Figure | undefined): boolean =>
  one && other ? one.equals(other) : one === other;

/** How a list differs from the one before, in the order of the former list, new prices at the end. */
export function changesBetween(before: readonly PriceLine[], after: readonly PriceLine[]): LineChange[] {
  const [old, now] = [linesByKey(before), linesByKey(after)];
  const changes: LineChange[] = [...new Map([...old, ...now])]
    .map(([key, { name, unit, terms }]) => ({
      name,
      unit,
      terms,
      before: old.get(key)?.price,
      after: now.get(key)?.price,
    }))
    .filter((change) => !isSame(change.before, change.after));
  if (!changes.some(({ terms }) => terms?.effective_from)) return changes;
  const replacing = [after, before].map(linesByReplacement);
  return changes.map((change) => ({ ...change, replaced: replacedBy(change, replacing) }));
}

const startOf = ({ terms }: Pick<PriceLine, 'terms'>): number =>
  terms?.effective_from ? Date.parse(terms.effective_from) : -Infinity;

function replacementKey({ name, unit, terms = {} }: Pick<PriceLine, 'name' | 'unit' | 'terms'>): string {
  const { effective_from: _, ...conditions } = terms;
  return keyOfLine({ name, unit, terms: conditions });
}

/** Lines that replace each other at the times at which they become effective, the last one first. */
function linesByReplacement(lines: readonly PriceLine[]): Map<string, PriceLine[]> {
  const byKey = new Map<string, PriceLine[]>();
  for (const line of [...lines].sort((one, other) => startOf(other) - startOf(one)))
    byKey.set(replacementKey(line), [...(byKey.get(replacementKey(line)) ?? []), line]);
  return byKey;
}

/** @param lists that are searched for the replaced line, one after the other */
function replacedBy(change: LineChange, lists: readonly Map<string, PriceLine[]>[]): Figure | undefined {
  if (!change.terms?.effective_from) return undefined;
  const former = lists.flatMap((lines) => lines.get(replacementKey(change)) ?? []);
  return former.find((line) => startOf(line) < startOf(change))?.price;
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
  terms?: PriceTerms | undefined;
  /** The price in force; undefined for a new line. */
  before: PriceLine['price'] | undefined;
  /** What is typed. */
  text: string;
  isRemoved: boolean;
}

export const draftOf = ({ name, unit, terms, price }: PriceLine): DraftLine => ({
  name,
  unit,
  terms,
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
  const edited = merge.changes.map(({ name, unit, terms, before, after }) => ({
    name,
    unit,
    terms,
    before,
    text: (after ?? before)?.toString() ?? '',
    isRemoved: !after,
  }));
  return {
    lines: withEdits(theirs, edited),
    conflicts: new Set(merge.conflicts.map(({ mine }) => keyOfLine(mine))),
  };
}

/** A list as it stands at an instant: what has become effective by then has replaced the former price and holds like any other. */
export function linesAt(lines: readonly PriceLine[], at: Date): PriceLine[] {
  const settled = lines.map((line) => {
    const { effective_from: from, ...terms } = line.terms ?? {};
    const isPast = from !== undefined && Date.parse(from) <= at.getTime();
    return isPast
      ? { ...line, terms: Object.keys(terms).length > 0 ? terms : undefined, from: Date.parse(from) }
      : { ...line, from: -Infinity };
  });
  const newest = new Map<string, number>();
  for (const line of settled)
    newest.set(keyOfLine(line), Math.max(line.from, newest.get(keyOfLine(line)) ?? -Infinity));
  return settled
    .filter((line) => newest.get(keyOfLine(line)) === line.from)
    .map(({ from: _, ...line }) => line);
}
