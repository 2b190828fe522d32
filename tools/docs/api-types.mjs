import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/**
 * The TypeScript types that the console's pages have of the services. A JSON number of a body is a `Figure`, which is
 * exact, never a `number`.
 *
 * @typedef {{ [name: string]: unknown }} Schema
 */

/** Name of a schema that is added, and of its type. */
const FIGURE = 'Figure';
const REFERENCE = { $ref: `#/components/schemas/${FIGURE}` };
const IMPORT = `import { type Figure } from '../../figures/figure';\n\n`;

/** @param {unknown} type of a schema */
const isNumber = (type) => type === 'number' || type === 'integer';

/** @param {Schema} schema */
const descriptionOf = ({ description }) => (description === undefined ? {} : { description });

/**
 * Marks the numbers of a schema and of everything in it.
 * @param {unknown} node
 * @returns {unknown} a copy
 */
function markFigures(node) {
  if (Array.isArray(node)) return node.map(markFigures);
  if (typeof node !== 'object' || node === null) return node;
  const { type, ...rest } = /** @type {Schema} */ (node);
  if (isNumber(type)) return { ...descriptionOf(rest), ...REFERENCE };
  if (Array.isArray(type) && type.some(isNumber)) {
    const others = type.filter((one) => !isNumber(one)).map((one) => ({ type: one }));
    return { ...descriptionOf(rest), oneOf: [REFERENCE, ...others] };
  }
  return Object.fromEntries(
    Object.entries(/** @type {Schema} */ (node))
      .filter(([name]) => name !== 'example' && name !== 'examples')
      .map(([name, value]) => [name, markFigures(value)]),
  );
}

/**
 * @param {unknown} node of an API document
 * @returns {unknown} a copy with marked bodies; parameters and headers stay as they are
 */
function markBodies(node) {
  if (Array.isArray(node)) return node.map(markBodies);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === 'content' || name === 'schemas' ? markFigures(value) : markBodies(value),
    ]),
  );
}

/** @param {object} document an API document @returns {Promise<string>} a module with its types */
export async function apiTypesOf(document) {
  const marked = /** @type {import('openapi-typescript').OpenAPI3} */ (markBodies(document));
  const schemas = {
    ...marked.components?.schemas,
    [FIGURE]: { type: /** @type {const} */ ('string'), format: FIGURE },
  };
  const nodes = await openapiTS(
    { ...marked, components: { ...marked.components, schemas } },
    {
      silent: true,
      transform: (schema) =>
        schema.format === FIGURE ? ts.factory.createTypeReferenceNode(FIGURE) : undefined,
    },
  );
  return IMPORT + astToString(nodes);
}
