import fc from 'fast-check';
import { type KnownFields } from '../known/known-fields';
import { type OpenApiDocument, resolved, type Schema } from './schema';

/** Deeper objects are left out, where they may be. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 3;
const MAX_TEXT = 60;

export interface Sampling {
  document: OpenApiDocument;
  /** Values for an exemplary request, whose other values are examples of the document, so that they fit together. */
  exemplary?: KnownFields;
}

/** Values that a schema allows, as far as it says. */
export function valuesOf(given: Schema, sampling: Sampling, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given, sampling.document);
  if (schema.example === undefined) return describedValues(schema, sampling, depth);
  const example = fc.constant(schema.example);
  if (sampling.exemplary) return example;
  return fc.oneof(
    { weight: 1, arbitrary: example },
    { weight: 2, arbitrary: describedValues(schema, sampling, depth) },
  );
}

function describedValues(schema: Schema, sampling: Sampling, depth: number): fc.Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, sampling, depth)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((part) => valuesOf(part, sampling, depth)))
      .map((parts) => Object.assign({}, ...parts) as unknown);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => describedValues({ ...schema, type }, sampling, depth)));
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
      return arrays(schema, sampling, depth);
    case 'object':
      return objects(schema, sampling, depth);
    case 'string':
      return texts(schema);
    default:
      return schema.properties ? objects(schema, sampling, depth) : fc.jsonValue({ maxDepth: 2 });
  }
}

const atLeast = (bound: number | undefined, otherwise: number) => Math.max(bound ?? otherwise, -1e9);
const atMost = (bound: number | undefined, otherwise: number) => Math.min(bound ?? otherwise, 1e9);

function arrays({ items = {}, ...schema }: Schema, sampling: Sampling, depth: number) {
  // Entries with the same example would repeat each other.
  const [least, most] = sampling.exemplary ? [1, 1] : [0, MAX_ITEMS];
  const minLength = schema.minItems ?? least;
  const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? most, most));
  return fc.array(valuesOf(items, sampling, depth + 1), { minLength, maxLength });
}

function texts({ pattern, format, minLength = 0, maxLength = MAX_TEXT }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) {
    try {
      return fc.stringMatching(new RegExp(pattern), { maxLength: Math.max(MAX_TEXT, minLength) });
    } catch {
      // The generator does not know every construct of regular expressions.
    }
  }
  if (format === 'date-time') return dates.map((date) => date.toISOString());
  if (format === 'date') return dates.map((date) => date.toISOString().slice(0, 'yyyy-mm-dd'.length));
  if (format === 'idn-email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  const longest = Math.max(minLength, Math.min(maxLength, MAX_TEXT));
  return fc.oneof(
    fc.string({ minLength, maxLength: longest }),
    fc.string({ unit: 'grapheme', minLength, maxLength: longest }),
  );
}

const dates = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });

function objects(schema: Schema, sampling: Sampling, depth: number): fc.Arbitrary<unknown> {
  const required = new Set(schema.required);
  const isWanted = (member: Schema) =>
    sampling.exemplary ? member.example !== undefined : depth < MAX_DEPTH;
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name, member]) => required.has(name) || isWanted(member),
  );
  const record = fc.record(
    Object.fromEntries(members.map(([name, member]) => [name, memberValues(name, member, sampling, depth)])),
    { requiredKeys: members.map(([name]) => name).filter((name) => required.has(name)) },
  );
  if (schema.additionalProperties !== true || depth > 1 || sampling.exemplary) return record;
  const further = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 2,
  });
  return fc.tuple(record, further).map(([known, other]) => ({ ...other, ...known }));
}

function memberValues(name: string, member: Schema, sampling: Sampling, depth: number) {
  return sampling.exemplary?.[name] ?? valuesOf(member, sampling, depth + 1);
}
