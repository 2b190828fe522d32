/** The part of OpenAPI 3.1 that the documents of the platform use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema?: Schema;
}

export interface MediaType {
  schema?: Schema;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, unknown>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    securitySchemes?: Record<string, { type: string; in?: string; name?: string; scheme?: string }>;
  };
}

/** An empty requirement makes the others optional. */
export const needsCredential = ({ security = [] }: Operation): boolean =>
  security.length > 0 && security.every((kinds) => Object.keys(kinds).length > 0);

/** Follows a reference of the form `#/components/schemas/Name`. */
export function resolved(schema: Schema, document: OpenApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const found = document.components?.schemas?.[name];
  if (!found) throw new Error(`The document has no schema ${schema.$ref}.`);
  return resolved(found, document);
}
