import { type INestApplication, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, getSchemaPath, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CodedErrorResponse, ErrorResponse } from '../error.response';
import { type ApiDescription } from './api-description';
import { CREDENTIAL_SCHEMES } from './credential-schemes';
import { documentImplied, IMPLIED_ERRORS } from './implied-responses';
import { toOpenApi31 } from './openapi-31';

interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, object>;
}

/** An expression of SPDX, which OpenAPI 3.1 accepts in place of a URL. */
const LICENSE = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Returns the OpenAPI 3.1 document of all routes of an app. The app may be created with `preview: true`. */
export function buildDocument(app: INestApplication, description: ApiDescription): OpenAPIObject {
  for (const controller of controllersOf(app)) documentImplied(controller, description);
  const raw = SwaggerModule.createDocument(app, configOf(description), {
    extraModels: [description.errorBody, bodyOf('503', description.errorBody)],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  addErrors(raw, description.errorBody);
  raw.components = { ...raw.components, headers: { RequestId: REQUEST_ID } };
  const document = toOpenApi31(raw);
  removeUnusedSchemes(document);
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

/** Adds the implied errors that an operation does not describe itself, the service's body to errors without one, and headers. */
function addErrors(document: OpenAPIObject, errorBody: Type): void {
  for (const operation of operationsOf(document)) {
    operation.security ??= [];
    const implied = operation[IMPLIED_ERRORS] ?? {};
    delete operation[IMPLIED_ERRORS];
    for (const [status, description] of Object.entries(implied))
      operation.responses[status] ??= { description };
    for (const [status, response] of Object.entries(operation.responses)) {
      const headers = { ...HEADERS_BY_STATUS[status], ...response.headers };
      response.headers = { ...headers, 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
      if (Number(status) >= 400)
        response.content ??= {
          'application/json': { schema: { $ref: getSchemaPath(bodyOf(status, errorBody)) } },
        };
    }
  }
}

/** A 503 may have a code beside the message, where errors have the shape of the specification. */
const bodyOf = (status: string, errorBody: Type): Type =>
  status === '503' && errorBody === ErrorResponse ? CodedErrorResponse : errorBody;

const textHeader = (description: string) => ({ description, schema: { type: 'string' } });

const REQUEST_ID = textHeader(
  'The id of the request in the logs: the one that the client sent, or a new one.',
);

const HEADERS_BY_STATUS: Record<string, Record<string, object>> = {
  401: { 'WWW-Authenticate': { ...textHeader('The schemes that the operation accepts.'), required: true } },
  429: {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true },
  },
};

interface DocumentedOperation {
  security?: object[];
  responses: Record<string, DocumentedResponse>;
  [IMPLIED_ERRORS]?: Record<string, string>;
}

function operationsOf({ paths }: OpenAPIObject): DocumentedOperation[] {
  const operations = Object.values(paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
  return operations as unknown as DocumentedOperation[];
}

function removeUnusedSchemes(document: OpenAPIObject): void {
  const used = new Set(operationsOf(document).flatMap(({ security = [] }) => security.flatMap(Object.keys)));
  const schemes = document.components?.securitySchemes ?? {};
  for (const name of Object.keys(schemes)) if (!used.has(name)) delete schemes[name];
}
