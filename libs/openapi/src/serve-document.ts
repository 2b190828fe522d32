import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { RefusedCalls } from '@inference/http';
import { type Express, type Request, type Response } from 'express';
import { type ApiDescription } from './document/api-description';
import { buildDocument } from './document/build-document';

interface EncodedDocument {
  json: Buffer;
  gzipped: Buffer;
}

async function encode(document: OpenAPIObject): Promise<EncodedDocument> {
  const json = Buffer.from(JSON.stringify(document));
  return { json, gzipped: await promisify(gzip)(json) };
}

/**
 * Serves the document at `<prefix>/openapi.json` and a page at `<prefix>/docs`, which loads nothing from other hosts. The limit of the
 * service counts both. The document is written once: that of the console has 690 kB.
 */
export const serveDocument =
  (description: ApiDescription) =>
  (app: INestApplication): void => {
    const { prefix, title } = description;
    const base = prefix === undefined ? '' : `/${prefix}`;
    // Express's way, which knows paths.
    const express = app.getHttpAdapter().getInstance() as Express;
    express.use([`${base}/docs`, `${base}/openapi.json`], app.get(RefusedCalls).countPublic);
    let document: OpenAPIObject | undefined;
    const build = () => (document ??= buildDocument(app, description));
    let encoded: Promise<EncodedDocument> | undefined;
    express.get(`${base}/openapi.json`, async (request: Request, response: Response) => {
      const { json, gzipped } = await (encoded ??= encode(build()));
      const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
      if (isCompressed) response.set('Content-Encoding', 'gzip');
      response
        .type('application/json')
        .vary('Accept-Encoding')
        .send(isCompressed ? gzipped : json);
    });
    SwaggerModule.setup(`${base}/docs`, app, build, {
      raw: false,
      customSiteTitle: title,
      customCss: '.swagger-ui .topbar { display: none }',
    });
  };
