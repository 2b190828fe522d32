import fc from 'fast-check';
import { heavyBodies, withNameTwice } from './heavy-bodies';
import { brokenBodies, hostileValues } from './hostile-values';
import { type MediaType, resolved } from './schema';
import { type Sampling, valuesOf } from './values';

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
