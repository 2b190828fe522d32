import fc from 'fast-check';
import { brokenBodies, hostileValues } from './hostile-values';
import { type MediaType, resolved } from './schema';
import { type Sampling, valuesOf } from './values';

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

const heavyBodies: fc.Arbitrary<string> = fc
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

export interface Body {
  type: string;
  text: string;
}

type Contents = [type: string, content: MediaType][];

/** Bodies as the document describes them. */
export const soundBodies = (contents: Contents, sampling: Sampling): fc.Arbitrary<Body> =>
  fc.oneof(...contents.map(([type, content]) => bodiesAs(type, content, sampling)));

/** Bodies of which one in three is broken in some way. */
export function mixedBodies(contents: Contents, sampling: Sampling): fc.Arbitrary<Body | undefined> {
  const sound = soundBodies(contents, sampling);
  const faulty = fc.oneof(...contents.map(([type, content]) => faultyBodies(type, content, sampling)));
  const broken = fc
    .tuple(
      fc.constantFrom(...contents.map(([type]) => type)),
      fc.oneof({ weight: 2, arbitrary: brokenBodies }, { weight: 1, arbitrary: heavyBodies }),
    )
    .map(([type, text]) => ({ type, text }));
  const otherTypes = fc.constantFrom(
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    '',
  );
  return fc.oneof(
    { weight: 8, arbitrary: sound },
    { weight: 4, arbitrary: faulty },
    { weight: 3, arbitrary: broken },
    { weight: 1, arbitrary: fc.tuple(otherTypes, sound).map(([type, { text }]) => ({ type, text })) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function bodiesAs(type: string, content: MediaType, sampling: Sampling): fc.Arbitrary<Body> {
  if (type.startsWith('multipart/')) return formBodies(type, content, sampling);
  if (!type.includes('json')) return fc.string({ maxLength: 200 }).map((text) => ({ type, text }));
  return jsonValues(content, sampling).map((value) => ({ type, text: JSON.stringify(value) }));
}

function jsonValues({ schema = {}, examples = {} }: MediaType, sampling: Sampling): fc.Arbitrary<unknown> {
  const values = Object.values(examples).map(({ value }) => value);
  const described = valuesOf(schema, sampling);
  return values.length > 0 ? fc.oneof(fc.constantFrom(...values), described) : described;
}

/** JSON of which one field is hostile, missing, unknown or there twice. */
function faultyBodies(type: string, content: MediaType, sampling: Sampling): fc.Arbitrary<Body> {
  if (!type.includes('json')) return bodiesAs(type, content, sampling);
  return fc
    .tuple(
      jsonValues(content, sampling),
      hostileValues,
      fc.nat(20),
      fc.constantFrom('replace', 'remove', 'add', 'repeat'),
    )
    .map(([value, hostile, at, how]) => ({
      type,
      text:
        how === 'repeat'
          ? withNameTwice(value, hostile, at)
          : JSON.stringify(withFault(value, hostile, at, how)),
    }));
}

function withFault(value: unknown, hostile: unknown, at: number, how: string): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return hostile;
  const names = Object.keys(value);
  if (how === 'add' || names.length === 0) return { ...value, unknown_field: hostile };
  const name = names[at % names.length]!;
  const { [name]: _former, ...rest } = value as Record<string, unknown>;
  return how === 'remove' ? rest : { ...rest, [name]: hostile };
}

const BOUNDARY = 'fuzz-boundary';

/** Forms with a small text file: exemplary ones with all fields of which the document has an example, others with a few. */
function formBodies(type: string, { schema = {} }: MediaType, sampling: Sampling): fc.Arbitrary<Body> {
  const { file: _file, ...members } = resolved(schema, sampling.document).properties ?? {};
  const described = Object.entries(members).flatMap(([name, { example }]): [string, string][] =>
    example === undefined ? [] : [[name, String(example)]],
  );
  const exemplary = described.map(([name, example]) =>
    (sampling.exemplary?.[name] ?? fc.constant(example)).map((value) => [name, value] as const),
  );
  const field = fc.tuple(
    fc.constantFrom(...Object.keys(members), 'x'),
    fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('', ...described.map(([, example]) => example))),
  );
  const fields = sampling.exemplary ? fc.tuple(...exemplary) : fc.array(field, { maxLength: 4 });
  return fc.tuple(fc.string({ maxLength: 40 }), fields).map(([content, chosen]) => ({
    type: `${type}; boundary=${BOUNDARY}`,
    text: [
      ...chosen.flatMap(([name, value]) => [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data; name="${name}"`,
        '',
        String(value),
      ]),
      `--${BOUNDARY}`,
      'Content-Disposition: form-data; name="file"; filename="note.txt"',
      'Content-Type: text/plain',
      '',
      content,
      `--${BOUNDARY}--`,
      '',
    ].join('\r\n'),
  }));
}
