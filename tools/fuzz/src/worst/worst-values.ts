/** JSON texts of about a number of bytes that cost the most time to read, check or refuse, by what they have much of. */
export type WorstValue = [kind: string, jsonOf: (bytes: number) => string];

export const filled = (bytes: number, part: string): string =>
  part.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(part))));
export const text = (bytes: number, part: string): string => `"${filled(bytes - 2, part)}"`;
/** A list of one entry many times. */
export const list = (bytes: number, entry: string): string =>
  `[${filled(bytes - 2, `${entry},`).slice(0, -1)}]`;

/** Keys that all differ, with the value 0. */
function manyKeys(bytes: number): string {
  const pairs: string[] = [];
  let length = 2;
  for (let index = 0; length < bytes; index++) {
    const pair = `"${index.toString(36)}":0`;
    pairs.push(pair);
    length += pair.length + 1;
  }
  return `{${pairs.join()}}`;
}

const nested = (bytes: number, opening: string, inner: string, closing: string): string => {
  const levels = Math.floor(bytes / (opening.length + closing.length));
  return opening.repeat(levels) + inner + closing.repeat(levels);
};

/** More keys and values than any service admits come first; the others are within the limits of a service that has none but its size. */
export const WORST_VALUES: WorstValue[] = [
  ['keys', manyKeys],
  ['the most keys admitted', (bytes) => manyKeys(Math.min(bytes, 700_000))],
  ['equal keys', (bytes) => `{${filled(bytes - 2, '"a":0,').slice(0, -1)}}`],
  ['a long key', (bytes) => `{${text(bytes - 6, 'k')}:0}`],
  ['nested lists', (bytes) => nested(bytes, '[', '', ']')],
  ['nested objects', (bytes) => nested(bytes, '{"a":', '0', '}')],
  ['admitted nesting', (bytes) => list(bytes, nested(180, '[', '', ']'))],
  ['numbers', (bytes) => list(bytes, '0')],
  ['texts', (bytes) => list(bytes, '""')],
  ['objects', (bytes) => list(bytes, '{}')],
  ['the most values admitted', (bytes) => list(Math.min(bytes, 1_900_000), '0')],
  ['the most objects admitted', (bytes) => list(Math.min(bytes, 800_000), '{"a":0}')],
  ['digits', (bytes) => filled(bytes, '7')],
  ['numbers of 10,000 digits', (bytes) => list(bytes, '7'.repeat(Math.min(10_000, bytes - 4)))],
  ['large numbers', (bytes) => list(bytes, '1e400')],
  ['a text of digits', (bytes) => text(bytes, '7')],
  ['letters', (bytes) => text(bytes, 'a')],
  ['words', (bytes) => text(bytes, 'a ')],
  ['spaces', (bytes) => text(bytes, ' ')],
  ['dots', (bytes) => text(bytes, 'a.')],
  ['address signs', (bytes) => text(bytes, 'a@')],
  ['hyphens', (bytes) => text(bytes, '-')],
  ['slashes', (bytes) => text(bytes, '/')],
  ['escaped letters', (bytes) => text(bytes, '\\u0061')],
  ['escaped quotes', (bytes) => text(bytes, '\\"')],
  ['escaped quotes behind letters', (bytes) => `"${'a'.repeat(40)}${filled(bytes - 42, '\\"')}"`],
  ['escaped control characters', (bytes) => text(bytes, '\\u0001')],
  ['Chinese characters', (bytes) => text(bytes, '中')],
  ['emoji', (bytes) => text(bytes, '😀')],
  ['joined emoji', (bytes) => text(bytes, '👩‍👩‍👧')],
];

const FOR_EVERY_MEMBER = new Set([
  'the most keys admitted',
  'the most objects admitted',
  'admitted nesting',
  'numbers of 10,000 digits',
  'a text of digits',
  'letters',
  'spaces',
  'escaped control characters',
]);

/** Whether the value is tried in optional members too: one of each mechanism, so that a run takes minutes. */
export const isForEveryMember = ([kind]: WorstValue): boolean => FOR_EVERY_MEMBER.has(kind);

/** JSON with one value replaced: the text of `replacement` stands at the path of members. */
export function withValueAt(base: unknown, path: string[], replacement: string): string {
  const PLACEHOLDER = '"the value to replace"';
  return JSON.stringify(replaced(base, path)).replace(PLACEHOLDER, () => replacement);

  function replaced(value: unknown, [name, ...inner]: string[]): unknown {
    if (name === undefined) return JSON.parse(PLACEHOLDER) as unknown;
    if (Array.isArray(value)) return [replaced(value[0], inner), ...(value.slice(1) as unknown[])];
    return { ...Object(value), [name]: replaced((Object(value) as Record<string, unknown>)[name], inner) };
  }
}
