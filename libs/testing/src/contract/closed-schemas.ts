type Node = Record<string, unknown>;

const isObject = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Copies a document so that objects may have no members that it does not describe. Clients must expect new members, but a test
 * must find those that nobody has described.
 */
export function withClosedSchemas<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((entry) => withClosedSchemas<unknown>(entry)) as Value;
  if (!isObject(value)) return value;
  const copy: Node = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withClosedSchemas(inner)]),
  );
  const isClosable = isObject(copy.properties) && copy.additionalProperties === undefined;
  return (isClosable ? { ...copy, additionalProperties: false } : copy) as Value;
}
