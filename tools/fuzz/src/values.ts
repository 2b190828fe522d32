import fc from 'fast-check';
import { type OpenApiDocument, resolved, type Schema } from './schema';

/** Deeper objects are left out, where they may be. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 3;
const MAX_TEXT = 60;

/** Values that a schema allows, as far as it says. */
export function valuesOf(given: Schema, document: OpenApiDocument, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given, document);
  const described = describedValues(schema, document, depth);
  return schema.example === undefined
    ? described
    : fc.oneof({ weight: 1, arbitrary: fc.constant(schema.example) }, { weight: 2, arbitrary: described });
}

function describedValues(schema: Schema, document: OpenApiDocument, depth: number): fc.Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, document, depth)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => describedValues({ ...schema, type }, document, depth)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: atLeast(schema.minimum, -1_000), max: atMost(schema.maximum, 1_000_000) });
    case 'number':
      return fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, document, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS)),
      });
    case 'object':
      return objects(schema, document, depth);
    case 'string':
      return texts(schema);
    default:
      return schema.properties ? objects(schema, document, depth) : fc.jsonValue({ maxDepth: 2 });
  }
}

const atLeast = (bound: number | undefined, otherwise: number) => Math.max(bound ?? otherwise, -1e9);
const atMost = (bound: number | undefined, otherwise: number) => Math.min(bound ?? otherwise, 1e9);

function texts({ pattern, format, minLength = 0, maxLength = MAX_TEXT }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) {
    try {
      return fc.stringMatching(new RegExp(pattern), { maxLength: Math.max(MAX_TEXT, minLength) });
    } catch {
      // The generator does not know every construct of regular expressions.
    }
  }
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  const longest = Math.max(minLength, Math.min(maxLength, MAX_TEXT));
  return fc.oneof(
    fc.string({ minLength, maxLength: longest }),
    fc.string({ unit: 'grapheme', minLength, maxLength: longest }),
  );
}

function objects(schema: Schema, document: OpenApiDocument, depth: number): fc.Arbitrary<unknown> {
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || depth < MAX_DEPTH,
  );
  const record = fc.record(
    Object.fromEntries(members.map(([name, member]) => [name, valuesOf(member, document, depth + 1)])),
    { requiredKeys: members.map(([name]) => name).filter((name) => required.has(name)) },
  );
  if (schema.additionalProperties !== true || depth > 1) return record;
  const further = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 2,
  });
  return fc.tuple(record, further).map(([known, other]) => ({ ...other, ...known }));
}

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

/** Values that no field of a sound client has. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER + 1,
    '',
    ' ',
    '\0',
    '\ud800',
    'x'.repeat(5_000),
    '../../etc/passwd',
    "'; DROP TABLE accounts; --",
    [],
    {},
    [[]],
    { length: 1 },
    { toString: 1 },
    nested(90),
    nested(2_000),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue(),
);

/** Bodies that are not what the content type says. */
export const brokenBodies: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{',
    '',
    'null',
    '1',
    '"text"',
    '[]',
    '{"__proto__":{"role":"admin"}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":1e400}',
    '{"amount":4.999999999999999999}',
    '['.repeat(20_000) + ']'.repeat(20_000),
    '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    '{"name":"\\ud800"}',
    '{"name":"\\u0000"}',
    `{"name":"${'x'.repeat(100_000)}"}`,
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
