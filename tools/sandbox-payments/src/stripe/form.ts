/** A parsed form whose names have brackets: `a[b][0]=c` is `{a: {b: ['c']}}`. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };

const NAME = /^([A-Za-z0-9_]+)((?:\[[A-Za-z0-9_]*\])*)$/;
const INDEX = /^\d+$/;

interface Branch {
  [name: string]: Branch | string;
}

/** Invalid names stay unchanged, so that validation rejects them as unknown. */
export function parseForm(parameters: URLSearchParams): Record<string, FormValue> {
  const root = Object.create(null) as Branch;
  for (const [name, value] of parameters) {
    const path = pathOf(name);
    let branch = root;
    for (const part of path.slice(0, -1)) branch = branchAt(branch, part);
    branch[keyIn(branch, path.at(-1)!)] = value;
  }
  return Object.fromEntries(Object.entries(root).map(([name, value]) => [name, settled(value)]));
}

function pathOf(name: string): string[] {
  const match = NAME.exec(name);
  if (!match) return [name];
  return [match[1]!, ...[...match[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, part]) => part!)];
}

/** Empty brackets append. */
const keyIn = (branch: Branch, part: string) => (part === '' ? String(Object.keys(branch).length) : part);

function branchAt(branch: Branch, part: string): Branch {
  const key = keyIn(branch, part);
  const known = branch[key];
  if (typeof known === 'object') return known;
  return (branch[key] = Object.create(null) as Branch);
}

function settled(value: Branch | string): FormValue {
  if (typeof value === 'string') return value;
  const entries = Object.entries(value);
  if (entries.every(([name]) => INDEX.test(name))) return entries.map(([, inner]) => settled(inner));
  return Object.fromEntries(entries.map(([name, inner]) => [name, settled(inner)]));
}
