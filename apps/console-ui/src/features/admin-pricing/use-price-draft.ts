import { useEffect, useState } from 'react';
import { keep, readKept } from '../../api/account-storage';
import { Figure } from '../../figures/figure';
import {
  changesBetween,
  type DraftLine,
  draftOf,
  isEdited,
  isLineUnit,
  keyOfLine,
  type LineChange,
  type LineUnit,
  parsePrice,
  type PriceLine,
  rebased,
  withEdits,
} from './price-line';
import { type PriceTerms, SERVICE_TIERS } from '../pricing/pricing-queries';
import { type PriceList } from './price-list-queries';

/** What an editor begins with. */
interface Beginning {
  lines: DraftLine[];
  /** Whether the lines hold edits from before. */
  isRestored: boolean;
  /** Keys of the lines that somebody else has changed, too. Undefined while nobody else has published. */
  conflicts?: ReadonlySet<string>;
}

function beginningOf({ version, lines }: PriceList, stored: StoredEdits | undefined): Beginning {
  if (!stored) return { lines: withEdits(lines, []), isRestored: false };
  if (stored.version === version) return { lines: withEdits(lines, stored.lines), isRestored: true };
  const merged = rebased(changesOf(stored.lines), lines);
  // The newer list may have all of them already.
  return merged.lines.some(isEdited)
    ? { ...merged, isRestored: true }
    : { lines: merged.lines, isRestored: false };
}

/**
 * The editor's state: a list, and what was made of it. The edits survive a reload, not the tab.
 *
 * @param storageKey of the list among what is kept for the account; undefined after its sign-out
 */
export function usePriceDraft(loaded: PriceList, units: readonly LineUnit[], storageKey: string | undefined) {
  const [base, setBase] = useState(loaded);
  const [beginning] = useState(() =>
    beginningOf(loaded, parseEdits(storageKey ? readKept('tab', storageKey) : null)),
  );
  const [lines, setLines] = useState(beginning.lines);
  const [isRestored, setIsRestored] = useState(beginning.isRestored);
  const [conflicts, setConflicts] = useState(beginning.conflicts);
  const edited = lines.filter(isEdited);
  const edits = edited.length > 0 ? editsText({ version: base.version, lines: edited }) : undefined;
  const hasEdits = edits !== undefined;
  useEffect(() => {
    if (storageKey) keep('tab', storageKey, edits);
  }, [storageKey, edits]);
  useEffect(() => {
    if (!hasEdits) setIsRestored(false);
  }, [hasEdits]);
  const change = (key: string, part: Partial<DraftLine>) =>
    setLines((all) => all.map((line) => (keyOfLine(line) === key ? { ...line, ...part } : line)));
  const shown = units.length > 0 ? [...lines, ...missingLines(lines, units)] : lines;
  const typed = shown.filter(({ isRemoved }) => !isRemoved);
  const after = typed.flatMap(({ name, unit, terms, text }) => {
    const price = parsePrice(text, unit);
    return price ? [{ name, unit, terms, price }] : [];
  });
  const changes = changesBetween(base.lines, after);
  return {
    base,
    lines: shown,
    isValid: after.length === typed.length,
    changes,
    /** What the list becomes. */
    after,
    /** Keys of the lines that somebody else has changed, too. Undefined while nobody else has published. */
    conflicts,
    /** Whether the lines hold edits from before. */
    isRestored: isRestored && hasEdits,
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
    /** Takes the prices of these lines over; those that the list lacks are new. */
    take: (taken: readonly PriceLine[]) =>
      setLines((all) => {
        const byKey = new Map(taken.map((line) => [keyOfLine(line), line]));
        const known = all.map((line) => {
          const price = byKey.get(keyOfLine(line))?.price;
          byKey.delete(keyOfLine(line));
          return price ? { ...line, text: price.toString(), isRemoved: false } : line;
        });
        return [...known, ...[...byKey.values()].map((line) => ({ ...draftOf(line), before: undefined }))];
      }),
    add: (line: PriceLine) => setLines((all) => [...all, { ...draftOf(line), before: undefined }]),
    /** Takes a change back. */
    undo: (key: string) =>
      setLines((all) =>
        all.flatMap((line) => {
          if (keyOfLine(line) !== key) return [line];
          return line.before ? [{ ...line, text: line.before.toString(), isRemoved: false }] : [];
        }),
      ),
    /** Takes all changes back. */
    discard: () => {
      setLines(withEdits(base.lines, []));
      setConflicts(undefined);
    },
    /** The changes are published: the next editor begins without them. */
    forget: () => storageKey && keep('tab', storageKey, undefined),
    /** Goes on from the list that somebody else has published. */
    rebase: (theirs: PriceList) => {
      const merged = rebased(changes, theirs.lines);
      setBase(theirs);
      setLines(merged.lines);
      setConflicts(merged.conflicts);
    },
  };
}

export type PriceDraft = ReturnType<typeof usePriceDraft>;

/** Lines that a list always has, before they have a price. */
const missingLines = (lines: DraftLine[], units: readonly LineUnit[]): DraftLine[] =>
  units
    .filter((unit) => !lines.some((line) => line.unit === unit))
    .map((unit) => ({ name: '', unit, before: undefined, text: '', isRemoved: false }));

/** Edits of a list that are not published, as the browser keeps them over a reload. */
interface StoredEdits {
  /** Of the list that was edited. */
  version: string;
  /** Only the lines that were edited. */
  lines: DraftLine[];
}

export const editsText = ({ version, lines }: StoredEdits): string =>
  JSON.stringify({
    version,
    lines: lines.map((line) => ({
      ...line,
      terms: line.terms && { ...line.terms, min_input_tokens: line.terms.min_input_tokens?.toString() },
      before: line.before?.toString() ?? null,
    })),
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
  const { name, unit, terms, before, text, isRemoved } = value as Record<keyof DraftLine, unknown>;
  if (typeof name !== 'string' || !isLineUnit(unit) || typeof text !== 'string') return undefined;
  return {
    name,
    unit,
    terms: parseTerms(terms),
    before: typeof before === 'string' ? Figure.parse(before) : undefined,
    text,
    isRemoved: isRemoved === true,
  };
}

/** What is no condition holds always; the service refuses what it does not understand. */
function parseTerms(value: unknown): PriceTerms | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    min_input_tokens: tokens,
    service_tier: tier,
    hours,
    effective_from: from,
  } = value as Record<keyof PriceTerms, unknown>;
  const knownTokens = typeof tokens === 'string' ? Figure.parse(tokens) : undefined;
  const knownTier = SERVICE_TIERS.find((one) => one === tier);
  return {
    ...(knownTokens && { min_input_tokens: knownTokens }),
    ...(knownTier && { service_tier: knownTier }),
    ...(typeof hours === 'string' && { hours }),
    ...(typeof from === 'string' && { effective_from: from }),
  };
}

/** The edits as changes. A text that is no price changes nothing. */
export const changesOf = (lines: readonly DraftLine[]): LineChange[] =>
  lines.flatMap(({ name, unit, terms, before, text, isRemoved }) => {
    const after = isRemoved ? undefined : parsePrice(text, unit);
    return isRemoved || after ? [{ name, unit, terms, before, after }] : [];
  });
