import { type ListView, listViewIn } from '../../components/list-view';
import { type ApiKey, type KeyMaker } from './key-queries';
import { type useKeyTexts } from './key-texts';

export const KEY_ORDERS = ['newest', 'name', 'used', 'spent'] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];
export const keyViewIn = listViewIn(KEY_ORDERS);

/** Who made a key, as a part of a sentence. */
export const makerText = ({ kind, id, name }: KeyMaker, t: ReturnType<typeof useKeyTexts>): string =>
  kind === 'person' ? t('made.you') : t('made.key', { name: name ?? id });

const BY_ORDER: Record<Exclude<KeyOrder, 'newest'>, (one: ApiKey, other: ApiKey) => number> = {
  name: (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }),
  used: (one, other) => (other.last_used_at ?? '').localeCompare(one.last_used_at ?? ''),
  spent: (one, other) => other.spent_30_days.compare(one.spent_30_days),
};

/** The keys whose name, secret, notes, tags or models have every word. The list comes newest first; an account has a hundred keys at most. */
export function chosenKeys(keys: ApiKey[], { q = '', sort }: ListView<KeyOrder>): ApiKey[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = keys.filter(({ name, prefix, allowed_models: models, tags, description }) => {
    const text = [name, prefix, description, ...tags, ...(models ?? [])].join('\n').toLowerCase();
    // Whoever has a secret at hand pastes all of it.
    return words.every((word) => text.includes(word) || word.startsWith(prefix.toLowerCase()));
  });
  return sort && sort !== 'newest' ? found.sort(BY_ORDER[sort]) : found;
}
