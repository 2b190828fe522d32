import { InvalidValueError } from '../proxy/request/request.errors';

export type Fields = Record<string, unknown>;

/** Refuses a field. The path is names and indices separated by dots. */
export function refuse(path: string, message: string): never {
  throw new InvalidValueError({ path, message });
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export function objectAt(value: unknown, path: string): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) refuse(path, 'must be an object');
  return value as Fields;
}

export function listAt(value: unknown, path: string): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : refuse(path, 'must be a list');
}

export function textAt(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'must be a text');
}

/** A list may have a million texts: only the path of a wrong entry is made. */
export function textsAt(value: unknown, path: string): string[] {
  const list = listAt(value, path);
  const wrong = list.findIndex((text) => typeof text !== 'string');
  return wrong < 0 ? (list as string[]) : refuse(childOf(path, wrong), 'must be a text');
}

export function nameAt(value: unknown, path: string): string {
  return typeof value === 'string' && value !== '' ? value : refuse(path, 'must be a text that is not empty');
}

export function choiceAt<Choice extends string>(
  value: unknown,
  path: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  return found ?? refuse(path, `must be ${inWords(choices)}`);
}

const inWords = (choices: readonly string[]): string =>
  choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)!}`;

/** Undefined for an absent field. */
export function booleanAt(value: unknown, path: string): boolean | undefined {
  if (!isGiven(value)) return undefined;
  return typeof value === 'boolean' ? value : refuse(path, 'must be true or false');
}

/** Undefined for an absent field. */
export function numberAt(value: unknown, path: string, [least, most]: [number, number]): number | undefined {
  if (!isGiven(value)) return undefined;
  const isInRange = typeof value === 'number' && value >= least && value <= most;
  return isInRange ? value : refuse(path, `must be a number from ${least} to ${most}`);
}

/** Undefined for an absent field. */
export function countAt(value: unknown, path: string, least: number): number | undefined {
  if (!isGiven(value)) return undefined;
  const isCount = Number.isSafeInteger(value) && (value as number) >= least;
  return isCount ? (value as number) : refuse(path, `must be an integer of at least ${least}`);
}

export const childOf = (path: string, name: string | number): string =>
  path === '' ? String(name) : `${path}.${name}`;

/** Refuses every given field whose name is not in the list: what the gateway does not know it cannot carry over. */
export function refuseOthers(fields: Fields, path: string, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(fields))
    if (!known.has(name) && isGiven(value))
      refuse(childOf(path, name), 'cannot be passed on to the server of this model');
}
