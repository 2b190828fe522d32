import { type INestApplication } from '@nestjs/common';
import { type Express } from 'express';

/** Returns `METHOD /path` of every route of a running app, sorted. */
export function registeredRoutes(app: INestApplication): string[] {
  const { router } = app.getHttpAdapter().getInstance() as Express;
  return router.stack
    .flatMap(({ route }) =>
      route ? route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`) : [],
    )
    .sort();
}
