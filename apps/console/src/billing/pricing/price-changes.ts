/** How a list differs from the one before. */
export interface PriceChanges<Row> {
  added: Row[];
  changed: { row: Row; before: Row }[];
  removed: Row[];
}

/** @param keyOf identifies a price within its list @param picosOf the price */
export function changesBetween<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string,
  picosOf: (row: Row) => bigint,
): PriceChanges<Row> {
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const kept = new Set(after.map(keyOf));
  const changes: PriceChanges<Row> = { added: [], changed: [], removed: [] };
  for (const row of after) {
    const former = old.get(keyOf(row));
    if (former === undefined) changes.added.push(row);
    else if (picosOf(former) !== picosOf(row)) changes.changed.push({ row, before: former });
  }
  changes.removed = before.filter((row) => !kept.has(keyOf(row)));
  return changes;
}

/** Returns the list with changed prices in their places, new ones at its end, and without those whose new price is null. */
export function mergePrices<Row, Change>(
  before: readonly Row[],
  changes: readonly Change[],
  keyOf: (row: Row | Change) => string,
  isPrice: (change: Row | Change) => change is Row,
): Row[] {
  const byKey = new Map(changes.map((change) => [keyOf(change), change]));
  const known = new Set(before.map(keyOf));
  const added = changes.filter((change) => !known.has(keyOf(change)));
  return [...before.map((row) => byKey.get(keyOf(row)) ?? row), ...added].filter(isPrice);
}
