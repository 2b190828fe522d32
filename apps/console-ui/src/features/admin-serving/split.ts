import { Figure } from '../../figures/figure';

/** What the split of calls follows from. */
export interface Weighted {
  name: string;
  state: string;
  models: { model: string; weight: Figure; priority: Figure }[];
}

/** The part of the calls of one model that an upstream gets, while all upstreams work. */
export interface Part {
  name: string;
  /** In tenths of a percent, rounded down. */
  permille: Figure;
}

const EVERY_MODEL = '*';

/** How the calls of a model are split among the upstreams: those with the lowest priority share them by weight. */
export function splitOf(model: string, upstreams: readonly Weighted[]): Part[] {
  const serving = upstreams.flatMap(({ name, state, models }) => {
    if (state !== 'active') return [];
    const entry =
      models.find((served) => served.model === model) ??
      models.find((served) => served.model === EVERY_MODEL);
    return entry && !entry.weight.isZero ? [{ name, ...entry }] : [];
  });
  const lowest = serving.map(({ priority }) => priority).sort((a, b) => a.compare(b))[0];
  const first = serving.filter(({ priority }) => priority.equals(lowest!));
  const total = BigInt(Figure.sum(first.map(({ weight }) => weight)).toString());
  return first.map(({ name, weight }) => ({
    name,
    permille: Figure.of((BigInt(weight.toString()) * 1000n) / total),
  }));
}

/** The models that upstreams name, in the order of their names. */
export const namedModels = (upstreams: readonly Weighted[]): string[] =>
  [...new Set(upstreams.flatMap(({ models }) => models.map(({ model }) => model)))].sort();
