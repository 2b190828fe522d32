import { type INestApplication } from '@nestjs/common';
import { type Express } from 'express';
import { documentedPath } from '../contract/api-document';

/** The API document and its page, which every service serves without a credential. */
const DOCUMENT = /\/(openapi\.json|docs(\/.*)?)$/;

export const isDocumentRoute = (route: string): boolean => DOCUMENT.test(route);

/** Returns `METHOD /path/{parameter}` of every route of a running app but those of its API document, sorted. */
export const registeredOperations = (app: INestApplication): string[] =>
  registeredRoutes(app).map(documentedPath).sort();

/** Returns `METHOD /path` of every route of a running app but those of its API document, sorted. */
export function registeredRoutes(app: INestApplication): string[] {
  const { router } = app.getHttpAdapter().getInstance() as Express;
  return router.stack
    .flatMap(({ route }) =>
      route ? route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`) : [],
    )
    .filter((route) => !isDocumentRoute(route))
    .sort();
}
