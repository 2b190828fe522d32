import { applyDecorators } from '@nestjs/common';
import { ApiNotModifiedResponse, ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';

const text = { type: 'string' } as const;

const VALIDATORS = {
  ETag: { description: 'Weak entity tag, for `If-None-Match`.', required: true, schema: text },
  'Cache-Control': {
    description: 'Any cache may keep the answer for a minute.',
    required: true,
    schema: { ...text, example: 'public, max-age=60' },
  },
};
const LAST_MODIFIED = {
  'Last-Modified': {
    description: 'The last change, for `If-Modified-Since`. Absent in the second of a change.',
    schema: text,
  },
};

/** Documents what a route with `@Cached` answers: 200 with validators, or 304. */
export const ApiCachedResponse = (
  options: ApiResponseOptions,
  { hasLastModified = true }: { hasLastModified?: boolean } = {},
) => {
  const headers = { ...VALIDATORS, ...(hasLastModified && LAST_MODIFIED) };
  return applyDecorators(
    ApiOkResponse({ ...options, headers }),
    ApiNotModifiedResponse({ description: 'Unchanged since the version that the client has.', headers }),
  );
};

/** Documents an XML document that is sent by a route with `@Cached`. It has no `Last-Modified`. */
export const ApiCachedXml = (description: string, mediaType: string, example: string) =>
  ApiCachedResponse(
    { description, content: { [mediaType]: { schema: text, example } } },
    { hasLastModified: false },
  );
