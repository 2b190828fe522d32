import { type INestApplication, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { OPEN_OBJECT } from '../decorators';
import { type ApiDescription } from './api-description';
import { bodyOf, completeResponses, nameRepeatedErrors, operationsOf } from './complete-responses';
import { CREDENTIAL_SCHEMES } from './credential-schemes';
import { documentImplied } from './implied-responses';

/** An expression of SPDX, which OpenAPI 3.1 accepts in place of a URL. */
const LICENSE = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

/** Returns the OpenAPI 3.1 document of all routes of an app. The app may be created with `preview: true`. */
export function buildDocument(app: INestApplication, description: ApiDescription): OpenAPIObject {
  for (const controller of controllersOf(app)) documentImplied(controller, description);
  const raw = SwaggerModule.createDocument(app, configOf(description), {
    extraModels: [description.errorBody, bodyOf('503', description.errorBody)],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  completeResponses(raw, description);
  const document = toOpenApi31(raw);
  removeUnusedSchemes(document);
  nameRepeatedErrors(document);
  const paths = Object.entries(document.paths).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths: Object.fromEntries(paths) };
}

function controllersOf(app: INestApplication): Type[] {
  const modules = [...app.get(ModulesContainer, { strict: false }).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].map(({ metatype }) => metatype as Type),
  );
}

function configOf({ title, description, tags, schemes }: ApiDescription) {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion('1')
    .addServer('/', 'The address of this service.');
  for (const [name, text] of Object.entries(tags)) builder.addTag(name, text);
  for (const [name, scheme] of Object.entries({ ...CREDENTIAL_SCHEMES, ...schemes }))
    builder.addSecurity(name, scheme);
  const { info, ...config } = builder.build();
  return {
    ...config,
    info: { title: info.title, description: info.description, version: info.version, license: LICENSE },
  };
}

function removeUnusedSchemes(document: OpenAPIObject): void {
  const used = new Set(operationsOf(document).flatMap(({ security = [] }) => security.flatMap(Object.keys)));
  const schemes = document.components?.securitySchemes ?? {};
  for (const name of Object.keys(schemes)) if (!used.has(name)) delete schemes[name];
}

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
