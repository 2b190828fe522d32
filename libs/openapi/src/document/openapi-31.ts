import { OPEN_OBJECT } from '../decorators/api-open-object.decorator';

type Node = Record<string, unknown>;

const isObject = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Keys whose values are data, not schemas. */
const DATA_KEYS = new Set(['example', 'examples', 'default', 'enum']);

/**
 * Rewrites the schemas of @nestjs/swagger, which are those of OpenAPI 3.0, for 3.1: `nullable` becomes the type `null`.
 */
export function toOpenApi31<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((entry) => toOpenApi31<unknown>(entry)) as Value;
  if (!isObject(value)) return value;
  const node: Node = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, DATA_KEYS.has(key) ? inner : toOpenApi31(inner)]),
  );
  return withNull(withFurtherMembers(node)) as Value;
}

function withFurtherMembers({ [OPEN_OBJECT]: isOpen, ...node }: Node): Node {
  return isOpen === true ? { ...node, additionalProperties: true } : node;
}

function withNull(node: Node): Node {
  if (node.nullable !== true) return node;
  const { nullable: _nullable, ...schema } = node;
  // `allOf` with a reference must be met by null too, whatever the type beside it says.
  if (typeof schema.type === 'string' && !Array.isArray(schema.allOf)) {
    return {
      ...schema,
      type: [schema.type, 'null'],
      ...(Array.isArray(schema.enum) && { enum: [...(schema.enum as unknown[]), null] }),
    };
  }
  const { description, example, type: _type, ...rest } = schema;
  if (Array.isArray(rest.oneOf)) return { ...schema, oneOf: [...(rest.oneOf as Node[]), { type: 'null' }] };
  const wrapped = Array.isArray(rest.allOf) && rest.allOf.length === 1 ? (rest.allOf as Node[])[0] : rest;
  return {
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    oneOf: [wrapped, { type: 'null' }],
  };
}
