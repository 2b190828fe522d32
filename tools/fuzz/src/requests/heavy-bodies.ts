import fc from 'fast-check';

/** JSON texts of about a number of bytes, each of which is as much work as possible for some code. */
export const HEAVY_BODIES: Record<string, (bytes: number) => string> = {
  'many names': (bytes) => `{${repeated(bytes, (i) => `"${i.toString(36)}":1,`)}"a":1}`,
  'many names below a list': (bytes) => `[${repeated(bytes, (i) => `{"${i.toString(36)}":1},`)}1]`,
  'one name many times': (bytes) => `{${repeated(bytes, () => '"model":"x",')}"model":"y"}`,
  'names with escapes': (bytes) =>
    `{${repeated(bytes, () => String.raw`"\u006d\u006f\u0064\u0065\u006c":1,`)}"a":1}`,
  'names of the prototype': (bytes) => `{${repeated(bytes, () => '"__proto__":{},"constructor":{},')}"a":1}`,
  'one long name': (bytes) => `{"${'n'.repeat(bytes)}":1}`,
  'deep lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => '{"a":'.repeat(bytes / 6) + '1' + '}'.repeat(bytes / 6),
  'deep objects that do not end': (bytes) => '{"a":'.repeat(bytes / 5),
  'lists of nothing': (bytes) => `[${repeated(bytes, () => '{},[],')}1]`,
  'a list of numbers': (bytes) => `[${repeated(bytes, () => '1.5,')}1]`,
  'a list as a field': (bytes) => `{"messages":[${repeated(bytes, () => '{},')}{}]}`,
  'a long text': (bytes) => `{"content":"${'x'.repeat(bytes)}"}`,
  'a long text of escapes': (bytes) => `{"content":"${repeated(bytes, () => String.raw`\u4e00\"`)}"}`,
  'a text of backslashes': (bytes) => `{"content":"${repeated(bytes, () => String.raw`\\`)}"}`,
  'a text that does not end': (bytes) => `{"content":"${'x'.repeat(bytes)}`,
  'a long text of spaces': (bytes) => `{"content":"${' '.repeat(bytes)}"}`,
  'spaces between values': (bytes) => `{"a":${' '.repeat(bytes)}1}`,
  'long numbers': (bytes) => `{"a":[${repeated(bytes, () => `${'1'.repeat(10_000)},`)}1]}`,
  'a long number of zeros': (bytes) => `{"amount":1${'0'.repeat(bytes)}1}`,
  'numbers beyond a double': (bytes) => `{"seed":[${repeated(bytes, () => '1e400,-1e-400,')}1e400]}`,
};

/** The pieces, of which the first is number 0, until they have about this many bytes; at least one. */
function repeated(bytes: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0; length < bytes; length += pieces.at(-1)!.length) pieces.push(piece(pieces.length));
  return pieces.join('');
}

/** Most are small: a run sends a million requests. */
const SIZES = [100, 1_000, 10_000, 200_000];

export const heavyBodies: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...Object.values(HEAVY_BODIES)), fc.constantFrom(...SIZES))
  .map(([bodyOf, bytes]) => bodyOf(bytes));

/** The JSON of an object with one of its names twice, in one of three spellings. Another value stays as it is. */
export function withNameTwice(value: unknown, other: unknown, at: number): string {
  const text = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return text;
  const names = Object.keys(value);
  if (names.length === 0) return text;
  const name = names[at % names.length]!;
  const code = name.charCodeAt(0).toString(16).padStart(4, '0');
  const spellings = [
    JSON.stringify(name),
    JSON.stringify(name.toUpperCase()),
    `"\\u${code}${JSON.stringify(name.slice(1)).slice(1)}`,
  ];
  const member = `${spellings[at % spellings.length]}:${JSON.stringify(other)}`;
  return at % 2 === 0 ? `{${member},${text.slice(1)}` : `${text.slice(0, -1)},${member}}`;
}
