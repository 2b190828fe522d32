import fc from 'fast-check';
import { needsCredential, type OpenApiDocument, type Operation, type Parameter, type Schema } from './schema';
import { brokenBodies, hostileValues, valuesOf } from './values';

export interface DocumentedOperation {
  service: string;
  /** In capitals. */
  method: string;
  path: string;
  operation: Operation;
  document: OpenApiDocument;
}

/** How a request is authenticated: with a right credential, or with one that no operation accepts. */
export type Presented = 'right' | 'none' | 'garbage';

export interface FuzzRequest {
  target: DocumentedOperation;
  /** With the values of its parameters. */
  url: string;
  /** The path has only values that its schema allows, so that no other operation answers. */
  isPathSound: boolean;
  headers: Record<string, string>;
  body?: string;
  presented: Presented;
  /** Selects the credential, and ids that the platform knows. */
  choice: number;
}

/** Ids that the platform has given out, by their prefix. */
export type KnownIds = Map<string, string[]>;

/** Requests to one operation: sound ones, and ones with a fault. */
export function requestsTo(target: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  const { operation } = target;
  return fc
    .record({
      path: pathsOf(target),
      query: queriesOf(target),
      body: bodiesOf(target),
      headers: headersOf(target),
      presented: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Presented>('right') },
        { weight: 1, arbitrary: fc.constant<Presented>('none') },
        { weight: 1, arbitrary: fc.constant<Presented>('garbage') },
      ),
      choice: fc.nat(1_000_000),
    })
    .map(({ path, query, body, headers, presented, choice }) => ({
      target,
      url: path.text + query,
      isPathSound: path.isSound,
      headers: { ...headers, ...(body && { 'Content-Type': body.type }) },
      ...(body && { body: body.text }),
      presented: needsCredential(operation) ? presented : 'none',
      choice,
    }));
}

const parametersIn = ({ operation }: DocumentedOperation, place: Parameter['in']): Parameter[] =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place);

function pathsOf(target: DocumentedOperation): fc.Arbitrary<{ text: string; isSound: boolean }> {
  const names = [...target.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) return fc.constant({ text: target.path, isSound: true });
  const parameters = parametersIn(target, 'path');
  const schemaOf = (name: string): Schema =>
    parameters.find((parameter) => parameter.name === name)?.schema ?? { type: 'string' };
  const sound = fc.record(
    Object.fromEntries(names.map((name) => [name, soundSegments(schemaOf(name), target.document)])),
  );
  const hostile = fc.record(Object.fromEntries(names.map((name) => [name, hostileSegments])));
  const fill = (values: Record<string, string>) =>
    target.path.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '');
  return fc.oneof(
    { weight: 9, arbitrary: sound.map((values) => ({ text: fill(values), isSound: true })) },
    { weight: 1, arbitrary: hostile.map((values) => ({ text: fill(values), isSound: false })) },
  );
}

const soundSegments = (schema: Schema, document: OpenApiDocument): fc.Arbitrary<string> =>
  valuesOf(schema, document)
    .map((value) =>
      encodeURIComponent(String(value).toWellFormed().replaceAll('/', '-').replaceAll('\0', '-')),
    )
    // The URL parser removes these.
    .map((text) => (/^(\.|%2e){0,2}$/i.test(text) ? 'x' : text));

const hostileSegments = fc.oneof(
  fc.constantFrom(
    '%00',
    '%',
    '%ff',
    '..',
    '.',
    'a%2fb',
    '%ed%a0%80',
    'x'.repeat(3_000),
    '-',
    '*',
    ':id',
    '%252e',
  ),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 30 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

function queriesOf(target: DocumentedOperation): fc.Arbitrary<string> {
  const parameters = parametersIn(target, 'query').filter(({ name }) => name !== 'token');
  const pairs = parameters.map(({ name, schema = {}, required = false }) => {
    const sound = valuesOf(schema, target.document);
    const value = fc.oneof({ weight: 5, arbitrary: sound }, { weight: 1, arbitrary: hostileValues });
    const one = value.map((chosen) => [[name, textOf(chosen)]]);
    const twice = value.map((chosen) => [
      [name, textOf(chosen)],
      [name, textOf(chosen)],
    ]);
    const none = fc.constant<string[][]>([]);
    return fc.oneof(
      { weight: 8, arbitrary: one },
      { weight: 1, arbitrary: twice },
      { weight: required ? 1 : 8, arbitrary: none },
    );
  });
  const unknown = fc.oneof(
    { weight: 12, arbitrary: fc.constant<string[][]>([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        [['x', '1']],
        [['__proto__', '1']],
        [['limit[]', '1']],
        [['constructor', '']],
      ),
    },
  );
  return fc
    .tuple(unknown, ...pairs)
    .map((lists) =>
      lists.flat().map(([name, value]) => `${encodeURIComponent(name!)}=${encodeURIComponent(value!)}`),
    )
    .map((texts) => (texts.length > 0 ? `?${texts.join('&')}` : ''));
}

/** A text that is much longer, escaped, is refused by the HTTP parser before any operation sees it. */
const MAX_QUERY_CHARS = 1_000;

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().slice(0, MAX_QUERY_CHARS);

function headersOf(target: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  const printable = fc.string({ maxLength: 300 });
  const parameters = parametersIn(target, 'header').filter(({ name }) => !/^(content-|expect)/i.test(name));
  const chosen = parameters.map(({ name, schema = {} }) =>
    fc
      .oneof(valuesOf(schema, target.document).map(textOf), printable)
      .map((value): [string, string] | null => [name, value.replace(/[^\x20-\x7e]/g, '?')]),
  );
  const optional = chosen.map((pair) => fc.oneof(pair, fc.constant(null)));
  return fc
    .tuple(...optional)
    .map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)) as Record<string, string>);
}

interface Body {
  type: string;
  text: string;
}

function bodiesOf(target: DocumentedOperation): fc.Arbitrary<Body | undefined> {
  const contents = Object.entries(target.operation.requestBody?.content ?? {});
  if (contents.length === 0) return fc.constant(undefined);
  const sound = fc.oneof(
    ...contents.map(([type, { schema = {} }]) => bodiesAs(type, schema, target.document)),
  );
  const broken = fc
    .tuple(fc.constantFrom(...contents.map(([type]) => type)), brokenBodies)
    .map(([type, text]) => ({ type, text }));
  const otherType = fc
    .tuple(
      fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        '',
      ),
      sound,
    )
    .map(([type, { text }]) => ({ type, text }));
  return fc.oneof(
    { weight: 12, arbitrary: sound },
    { weight: 3, arbitrary: broken },
    { weight: 1, arbitrary: otherType },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function bodiesAs(type: string, schema: Schema, document: OpenApiDocument): fc.Arbitrary<Body> {
  if (type.startsWith('multipart/')) return formBodies(type);
  if (!type.includes('json')) return fc.string({ maxLength: 200 }).map((text) => ({ type, text }));
  const sound = valuesOf(schema, document);
  const faulty = fc
    .tuple(sound, hostileValues, fc.nat(20), fc.constantFrom('replace', 'remove', 'add'))
    .map(([value, hostile, at, how]) => withFault(value, hostile, at, how));
  return fc
    .oneof({ weight: 2, arbitrary: sound }, { weight: 1, arbitrary: faulty })
    .map((value) => ({ type, text: JSON.stringify(value) }));
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

/** Forms with a small text file and one field. */
const formBodies = (type: string): fc.Arbitrary<Body> =>
  fc
    .tuple(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('title', 'external_id', 'metadata', 'x'),
      fc.string({ maxLength: 30 }),
    )
    .map(([content, name, value]) => ({
      type: `${type}; boundary=${BOUNDARY}`,
      text: [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data; name="${name}"`,
        '',
        value,
        `--${BOUNDARY}`,
        'Content-Disposition: form-data; name="file"; filename="note.txt"',
        'Content-Type: text/plain',
        '',
        content,
        `--${BOUNDARY}--`,
        '',
      ].join('\r\n'),
    }));
