import fc from 'fast-check';
import { type Body, mixedBodies, soundBodies } from './bodies';
import { hostileValues } from './hostile-values';
import { type KnownFields } from '../known/known-fields';
import { needsCredential, type OpenApiDocument, type Operation, type Parameter, type Schema } from './schema';
import { type Sampling, valuesOf } from './values';

export interface DocumentedOperation {
  /** Service and operation id: an id alone may occur in several services. */
  name: string;
  service: string;
  /** The address of the service. */
  origin: string;
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
  /** As a careful client sends it, so that it succeeds if what it names exists. */
  isExemplary: boolean;
  /** With the values of its parameters. */
  path: string;
  /** Empty, or with its question mark. */
  query: string;
  /** The path has only values that its schema allows, so that no other operation answers. */
  isPathSound: boolean;
  headers: Record<string, string>;
  body?: string;
  presented: Presented;
  /** Selects the credential, and ids that the platform knows. */
  choice: number;
}

/** Requests to one operation: a third as a careful client sends them, and others with all that is allowed, and faults. */
export function requestsTo(target: DocumentedOperation, known: KnownFields): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    { weight: 1, arbitrary: exemplaryRequestsTo(target, known) },
    { weight: 2, arbitrary: mixedRequestsTo(target) },
  );
}

function exemplaryRequestsTo(target: DocumentedOperation, exemplary: KnownFields): fc.Arbitrary<FuzzRequest> {
  const sampling = { document: target.document, exemplary };
  const contents = contentsOf(target);
  return fc
    .record({
      path: soundPaths(target, sampling),
      query: exemplaryQueries(target, sampling),
      body: contents.length > 0 ? soundBodies(contents, sampling) : fc.constant(undefined),
      choice: choices,
    })
    .map(({ path, query, body, choice }) => ({
      target,
      isExemplary: true,
      path,
      query,
      isPathSound: true,
      ...withType(body, {}),
      presented: needsCredential(target.operation) ? 'right' : 'none',
      choice,
    }));
}

function mixedRequestsTo(target: DocumentedOperation): fc.Arbitrary<FuzzRequest> {
  const sampling = { document: target.document };
  const contents = contentsOf(target);
  return fc
    .record({
      path: mixedPaths(target, sampling),
      query: mixedQueries(target, sampling),
      body: contents.length > 0 ? mixedBodies(contents, sampling) : fc.constant(undefined),
      headers: mixedHeaders(target, sampling),
      presented: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Presented>('right') },
        { weight: 1, arbitrary: fc.constant<Presented>('none') },
        { weight: 1, arbitrary: fc.constant<Presented>('garbage') },
      ),
      choice: choices,
    })
    .map(({ path, query, body, headers, presented, choice }) => ({
      target,
      isExemplary: false,
      path: path.text,
      query,
      isPathSound: path.isSound,
      ...withType(body, headers),
      presented: needsCredential(target.operation) ? presented : 'none',
      choice,
    }));
}

const choices = fc.nat(1_000_000);

const contentsOf = ({ operation }: DocumentedOperation) =>
  Object.entries(operation.requestBody?.content ?? {});

const withType = (body: Body | undefined, headers: Record<string, string>) =>
  body ? { headers: { ...headers, 'Content-Type': body.type }, body: body.text } : { headers };

const parametersIn = ({ operation }: DocumentedOperation, place: Parameter['in']): Parameter[] =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place);

const parameterNames = ({ path }: DocumentedOperation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

const filled = ({ path }: DocumentedOperation, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '');

function soundPaths(target: DocumentedOperation, sampling: Sampling): fc.Arbitrary<string> {
  const parameters = parametersIn(target, 'path');
  const schemaOf = (name: string): Schema =>
    parameters.find((parameter) => parameter.name === name)?.schema ?? { type: 'string' };
  const segments = parameterNames(target).map((name) => [name, soundSegments(schemaOf(name), sampling)]);
  return fc
    .record(Object.fromEntries(segments) as Record<string, fc.Arbitrary<string>>)
    .map((values) => filled(target, values));
}

function mixedPaths(
  target: DocumentedOperation,
  sampling: Sampling,
): fc.Arbitrary<{ text: string; isSound: boolean }> {
  const sound = soundPaths(target, sampling).map((text) => ({ text, isSound: true }));
  const names = parameterNames(target);
  if (names.length === 0) return sound;
  const hostile = fc
    .record(Object.fromEntries(names.map((name) => [name, hostileSegments])))
    .map((values) => ({ text: filled(target, values), isSound: false }));
  return fc.oneof({ weight: 9, arbitrary: sound }, { weight: 1, arbitrary: hostile });
}

const soundSegments = (schema: Schema, sampling: Sampling): fc.Arbitrary<string> =>
  valuesOf(schema, sampling)
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

/** The token in a query is a credential. */
const queryParameters = (target: DocumentedOperation): Parameter[] =>
  parametersIn(target, 'query').filter(({ name }) => name !== 'token');

/** Every required parameter, and now and then one of the others that have an example. */
function exemplaryQueries(target: DocumentedOperation, sampling: Sampling): fc.Arbitrary<string> {
  const pairs = queryParameters(target)
    .filter(({ required, schema }) => required === true || schema?.example !== undefined)
    .map(({ name, schema = {}, required }) => {
      const one = valuesOf(schema, sampling).map((value) => [[name, textOf(value)]]);
      return required ? one : fc.oneof(one, fc.constant<string[][]>([]), fc.constant<string[][]>([]));
    });
  return fc.tuple(...pairs).map((lists) => queryOf(lists.flat()));
}

function mixedQueries(target: DocumentedOperation, sampling: Sampling): fc.Arbitrary<string> {
  const pairs = queryParameters(target).map(({ name, schema = {}, required = false }) => {
    const sound = valuesOf(schema, sampling);
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
      arbitrary: fc.constantFrom<string[][][]>(
        [['x', '1']],
        [['__proto__', '1']],
        [['limit[]', '1']],
        [['constructor', '']],
      ),
    },
  );
  return fc.tuple(unknown, ...pairs).map((lists) => queryOf(lists.flat()));
}

const queryOf = (pairs: string[][]): string =>
  pairs
    .map(([name, value]) => `${encodeURIComponent(name!)}=${encodeURIComponent(value!)}`)
    .join('&')
    .replace(/^(?=.)/, '?');

/** A text that is much longer, escaped, is refused by the HTTP parser before any operation sees it. */
const MAX_QUERY_CHARS = 1_000;

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().slice(0, MAX_QUERY_CHARS);

/** Few, so that requests repeat one another's. */
const REPEATED_KEYS = fc.constantFrom('fuzz-1', 'fuzz-2', 'fuzz-3', 'fuzz-4');

function mixedHeaders(target: DocumentedOperation, sampling: Sampling): fc.Arbitrary<Record<string, string>> {
  const printable = fc.string({ maxLength: 300 });
  const parameters = parametersIn(target, 'header').filter(({ name }) => !/^(content-|expect)/i.test(name));
  const chosen = parameters.map(({ name, schema = {} }) =>
    fc
      .oneof(name === 'Idempotency-Key' ? REPEATED_KEYS : valuesOf(schema, sampling).map(textOf), printable)
      .map((value): [string, string] | null => [name, value.replace(/[^\x20-\x7e]/g, '?')]),
  );
  const optional = chosen.map((pair) => fc.oneof(pair, fc.constant(null)));
  return fc
    .tuple(...optional)
    .map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)) as Record<string, string>);
}
