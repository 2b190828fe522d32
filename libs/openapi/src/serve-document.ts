import { type INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RefusedCalls } from '@inference/http';
import { type Express } from 'express';
import { type ApiDescription } from './document/api-description';
import { buildDocument } from './document/build-document';

/** Serves the document at `<prefix>/openapi.json` and a page at `<prefix>/docs`, which loads nothing from other hosts. */
export const serveDocument =
  (description: ApiDescription) =>
  (app: INestApplication): void => {
    const { prefix = '', title } = description;
    // Express's way, which knows paths.
    const express = app.getHttpAdapter().getInstance() as Express;
    express.use([`${prefix}/docs`, `${prefix}/openapi.json`], app.get(RefusedCalls).countPublic);
    let document: OpenAPIObject | undefined;
    SwaggerModule.setup(`${prefix}/docs`, app, () => (document ??= buildDocument(app, description)), {
      jsonDocumentUrl: `${prefix}/openapi.json`,
      raw: ['json'],
      customSiteTitle: title,
      customCss: '.swagger-ui .topbar { display: none }',
    });
  };
