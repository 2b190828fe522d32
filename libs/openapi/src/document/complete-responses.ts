import { type Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { CodedErrorResponse, ErrorResponse } from '../error.response';
import { type ApiDescription } from './api-description';
import { IMPLIED_ERRORS } from './implied-responses';

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, object>;
}

interface DocumentedOperation {
  security?: object[];
  responses: Record<string, DocumentedResponse>;
  [IMPLIED_ERRORS]?: Record<string, string>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const header = (description: string, type: 'string' | 'integer', required = false) => ({
  description,
  schema: { type },
  ...(required && { required }),
});

const RATE_LIMIT = {
  'RateLimit-Limit': header('Requests in a window, for the limit that has the fewest left.', 'integer'),
  'RateLimit-Remaining': header('Requests that are left in the window.', 'integer'),
  'RateLimit-Reset': header('Seconds until the window ends.', 'integer'),
};
const EVERY_RESPONSE = {
  'X-Request-Id': header(
    'The id of the request in the logs: the one that the client sent, or a new one.',
    'string',
    true,
  ),
};
const BY_STATUS: Record<string, Record<string, object>> = {
  401: { 'WWW-Authenticate': header('The schemes that the operation accepts.', 'string', true) },
  429: { 'Retry-After': header('Seconds to wait.', 'integer', true), ...RATE_LIMIT },
};

/** Adds the implied errors that an operation does not describe itself, the service's body to errors without one, and headers. */
export function completeResponses(
  document: OpenAPIObject,
  { errorBody, isRateLimited = false }: ApiDescription,
): void {
  const common = { ...EVERY_RESPONSE, ...(isRateLimited && RATE_LIMIT) };
  document.components = { ...document.components, headers: common };
  const references = Object.keys(common).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  for (const operation of operationsOf(document)) {
    operation.security ??= [];
    const isOnBehalf = operation.security.some((requirement) => 'on_behalf' in requirement);
    const implied = operation[IMPLIED_ERRORS] ?? {};
    delete operation[IMPLIED_ERRORS];
    for (const [status, description] of Object.entries(implied))
      operation.responses[status] ??= { description };
    for (const [status, response] of Object.entries(operation.responses)) {
      response.headers = { ...BY_STATUS[status], ...response.headers, ...Object.fromEntries(references) };
      if (Number(status) >= 400)
        response.content ??= {
          'application/json': { schema: { $ref: getSchemaPath(bodyOf(status, errorBody, isOnBehalf)) } },
        };
    }
  }
}

/** Statuses of faults in the headers with which a service names an account. */
const ON_BEHALF_STATUSES = new Set(['400', '401', '403']);

/** A 503, and the refusal of an account that a service names, may have a code beside the message. */
export const bodyOf = (status: string, errorBody: Type, isOnBehalf = false): Type =>
  errorBody === ErrorResponse && (status === '503' || (isOnBehalf && ON_BEHALF_STATUSES.has(status)))
    ? CodedErrorResponse
    : errorBody;

export function operationsOf({ paths }: OpenAPIObject): DocumentedOperation[] {
  const operations = Object.values(paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
  return operations as unknown as DocumentedOperation[];
}
