import { type INestApplication, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type ApiDescription } from './api-description';
import { CREDENTIAL_SCHEMES } from './credential-schemes';
import { bodyOf, completeResponses, operationsOf } from './complete-responses';
import { documentImplied } from './implied-responses';
import { toOpenApi31 } from './openapi-31';
import { nameRepeatedErrors } from './repeated-errors';

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
