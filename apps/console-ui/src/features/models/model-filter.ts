import { type Model } from './model-queries';

export const MODEL_ORDERS = ['newest', 'name', 'smallest', 'largest'] as const;
export type ModelOrder = (typeof MODEL_ORDERS)[number];

/** What the address says of the list. Absent: everything, newest first. */
export interface ModelFilter {
  q?: string;
  family?: string;
  format?: string;
  license?: string;
  sort?: ModelOrder;
}

/** The facts by which the list can be narrowed. */
export const MODEL_FACTS = ['family', 'format', 'license'] as const;
export type ModelFact = (typeof MODEL_FACTS)[number];

/** Reads the filter from the query of an address, whatever somebody wrote there. */
export function modelFilterIn(search: Record<string, unknown>): ModelFilter {
  const filter: ModelFilter = {};
  for (const name of ['q', ...MODEL_FACTS] as const) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') filter[name] = value;
    // The router reads digits as a number.
    if (typeof value === 'number') filter[name] = String(value);
  }
  const sort = MODEL_ORDERS.find((order) => order === search.sort);
  if (sort && sort !== 'newest') filter.sort = sort;
  return filter;
}

const ORDERS: Record<Exclude<ModelOrder, 'newest'>, (one: Model, other: Model) => number> = {
  name: (one, other) => one.name.localeCompare(other.name),
  smallest: (one, other) => one.size.compare(other.size),
  largest: (one, other) => other.size.compare(one.size),
};

/** The models that match all of the filter; a search matches if every word is in the name, slug or another fact. */
export function filterModels(models: Model[], { q = '', sort, ...facts }: ModelFilter): Model[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((model) => {
    const { name, slug, description, family, parameters, quantization } = model;
    const text = [name, slug, description, family, parameters, quantization].join(' ').toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      MODEL_FACTS.every((fact) => facts[fact] === undefined || model[fact] === facts[fact])
    );
  });
  return sort && sort !== 'newest' ? found.sort(ORDERS[sort]) : found;
}

/** The values of a fact in the list, in their alphabetical order. */
export const valuesOf = (models: Model[], fact: ModelFact): string[] =>
  [...new Set(models.flatMap((model) => model[fact] ?? []))].sort((one, other) => one.localeCompare(other));
