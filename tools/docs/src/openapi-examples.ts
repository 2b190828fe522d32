import { type ApiDocument, type DocumentedContent, pointer, SchemaChecker } from '@inference/testing';

export interface CheckedExamples {
  /** Number of examples in the document. */
  count: number;
  /** Where an example is not of its schema, and why. */
  faults: string[];
}

type Node = Record<string, unknown>;

/** Keys whose values are data. */
const DATA_KEYS = new Set(['example', 'examples', 'default', 'enum', 'const']);
/** Keys whose values have names that the document chooses, which may be `example`. */
const MAP_KEYS = new Set([
  'properties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  'content',
  'x-events',
]);

const isObject = (value: unknown): value is Node => value !== null && typeof value === 'object';

/** Compares each example of a document with its schema: those of schemas, parameters, headers, and bodies. */
export function checkExamples(document: ApiDocument): CheckedExamples {
  const schemas = new SchemaChecker(document);
  const checked: CheckedExamples = { count: 0, faults: [] };

  const check = (at: string, node: Node, value: unknown): void => {
    checked.count++;
    // Without a `schema` the node is a schema itself.
    const schemaAt = 'schema' in node ? `${at}/schema` : at;
    const content = node as DocumentedContent;
    const faults = content['x-events']
      ? schemas.eventFaultsOf(at, content, String(value))
      : schemas.faultsOf(schemaAt, value, '');
    checked.faults.push(...faults.map((fault) => `${decodeURIComponent(at)}: ${fault}`));
  };

  const visit = (at: string, node: unknown, isMap: boolean): void => {
    if (!isObject(node)) return;
    if (!isMap) for (const value of examplesOf(node)) check(at, node, value);
    for (const [key, inner] of Object.entries(node)) {
      if (isMap || !DATA_KEYS.has(key)) visit(at + pointer(key), inner, !isMap && MAP_KEYS.has(key));
    }
  };
  visit('', document, false);
  return checked;
}

/** Schemas have a list of examples, bodies and parameters have named ones with a `value`. */
function examplesOf({ example, examples }: Node): unknown[] {
  const several = Array.isArray(examples)
    ? (examples as unknown[])
    : Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value);
  return example === undefined ? several : [example, ...several];
}
