import { Figure } from '../../figures/figure';

/** A setting with what it is and what it becomes. Undefined: there is none. */
export interface SettingChange<Name extends string = string> {
  name: Name;
  before: unknown;
  after: unknown;
}

/** Tells values apart as people see them: figures by their digits, lists by their entries in order. */
const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Figure ? part.toString() : part)) ?? 'absent';

export const isSame = (one: unknown, other: unknown): boolean => keyOf(one) === keyOf(other);

/** The fields of a form that its user has edited: what somebody else stores in the others meanwhile stays. */
export function editedFields<Fields extends object>(opened: Fields, values: Fields): Partial<Fields> {
  const edited = Object.entries(values).filter(
    ([name, value]) => !isSame(value, opened[name as keyof Fields]),
  );
  return Object.fromEntries(edited) as Partial<Fields>;
}

/** Which of the named settings differ. @param before undefined: nothing is stored yet, and everything that is set is new */
export function changedSettings<Stored extends object, Name extends keyof Stored & string>(
  names: readonly Name[],
  before: Stored | undefined,
  after: Stored,
): SettingChange<Name>[] {
  return names
    .map((name) => ({ name, before: before?.[name], after: after[name] }))
    .filter((change) => !isSame(change.before ?? null, change.after));
}

interface Entry {
  model: string;
}

/** The entries of an upstream's list of models that differ, by model. */
export function changedModels<Kind extends Entry>(
  before: readonly Kind[],
  after: readonly Kind[],
): { model: string; before: Kind | undefined; after: Kind | undefined }[] {
  const find = (list: readonly Kind[], wanted: string) => list.find(({ model }) => model === wanted);
  const models = [...new Set([...before, ...after].map(({ model }) => model))].sort();
  return models
    .map((model) => ({ model, before: find(before, model), after: find(after, model) }))
    .filter((change) => !isSame(change.before, change.after));
}
