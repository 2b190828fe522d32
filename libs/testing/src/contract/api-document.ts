import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../../../docs/reference/openapi');

export interface DocumentedEventKind {
  schema: object;
}

export interface DocumentedContent {
  schema?: object;
  /** The kinds of a stream of server-sent events. */
  'x-events'?: Record<string, DocumentedEventKind>;
}

export interface DocumentedHeader {
  required?: boolean;
}

export interface Reference {
  $ref: string;
}

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, DocumentedHeader | Reference>;
  content?: Record<string, DocumentedContent>;
}

export interface DocumentedOperation {
  operationId: string;
  responses: Record<string, DocumentedResponse | Reference>;
}

export interface ApiDocument {
  components?: { headers?: Record<string, DocumentedHeader>; responses?: Record<string, DocumentedResponse> };
  paths: Record<string, Record<string, DocumentedOperation>>;
}

const fileOf = (service: string): string => join(FOLDER, `${service}.json`);

export const hasApiDocument = (service: string): boolean => existsSync(fileOf(service));

/** The document of a service as it is in the repository; a test compares it with the code. */
export function readApiDocument(service: string): ApiDocument {
  if (!hasApiDocument(service)) throw new Error(`${service} has no API document: run npm run openapi.`);
  return JSON.parse(readFileSync(fileOf(service), 'utf8')) as ApiDocument;
}

/** The last part of a reference: the name of what it refers to. */
export const nameOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** Returns the answer of an operation and the path to it in the document; undefined if the status is not documented. */
export function findResponse(
  { paths, components }: ApiDocument,
  { path, verb, status }: { path: string; verb: string; status: number | string },
): { response: DocumentedResponse; place: string[] } | undefined {
  const given = paths[path]?.[verb]?.responses[status];
  if (!given) return undefined;
  if (!('$ref' in given))
    return { response: given, place: ['paths', path, verb, 'responses', String(status)] };
  const response = components?.responses?.[nameOf(given)];
  return response && { response, place: ['components', 'responses', nameOf(given)] };
}

/** The path of the document for a route of Express: `/things/:id` is `/things/{id}`, and `*slug` is `{slug}`. */
export const documentedPath = (route: string): string => route.replace(/[:*](\w+)/g, '{$1}');

/** `METHOD /path/{parameter}` of every operation, sorted. */
export const documentedOperations = (service: string): string[] =>
  Object.entries(readApiDocument(service).paths)
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort();
