import { STATUS_CODES } from 'node:http';
import { type Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type ApiDescription } from './api-description';
import { IMPLIED_ERRORS } from './implied-responses';

/** Spec: Errors. */
export class ErrorResponse {
  @ApiProperty({
    description: 'What is wrong, for people. It varies and must not be used for logic.',
    example: 'not found',
  })
  error!: string;
}

/** An error that programs may tell apart. */
export class CodedErrorResponse extends ErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The reason, for programs; it does not change between versions.',
    example: 'busy',
  })
  code?: string;

  @ApiProperty({
    required: false,
    description:
      'With `rate_limit_exceeded`: which limit, such as `key_requests_per_minute` or `account_tokens_per_minute`. Absent if a server of the model refuses.',
    example: 'account_requests_per_minute',
  })
  limit?: string;

  @ApiProperty({
    required: false,
    description:
      'With `insufficient_balance`: what the wallet lacks for the most that this can cost, as an exact decimal text.',
    example: '0.225',
  })
  missing_amount?: string;

  @ApiProperty({
    required: false,
    description:
      'With `insufficient_balance`: the page that proposes to top up the missing amount, if it is known.',
    example: 'https://console.example.com/top-up?amount=0.23',
  })
  top_up_url?: string;
}

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

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

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
  { errorBody, isRateLimited = false, hasAccountViews = false }: ApiDescription,
): void {
  const common = { ...EVERY_RESPONSE, ...(isRateLimited && RATE_LIMIT) };
  document.components = { ...document.components, headers: common };
  const references = Object.keys(common).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  for (const operation of operationsOf(document)) {
    operation.security ??= [];
    const isOnBehalf = operation.security.some((requirement) => 'on_behalf' in requirement);
    const isSecured = hasAccountViews || operation.security.length > 0;
    const implied = operation[IMPLIED_ERRORS] ?? {};
    delete operation[IMPLIED_ERRORS];
    for (const [status, description] of Object.entries(implied))
      operation.responses[status] ??= { description };
    for (const [status, response] of Object.entries(operation.responses)) {
      response.headers = { ...BY_STATUS[status], ...response.headers, ...Object.fromEntries(references) };
      if (Number(status) >= 400)
        response.content ??= {
          'application/json': {
            schema: { $ref: getSchemaPath(bodyOf(status, errorBody, { isSecured, isOnBehalf })) },
          },
        };
    }
  }
}

/** Statuses of faults in the headers with which a service names an account. */
const ON_BEHALF_STATUSES = new Set(['400', '401', '403']);

/** A 503, the refusal of a suspended account, and that of an account that a service names may have a code beside the message. */
export function bodyOf(
  status: string,
  errorBody: Type,
  { isSecured = false, isOnBehalf = false }: { isSecured?: boolean; isOnBehalf?: boolean } = {},
): Type {
  const isCoded =
    status === '503' || (isSecured && status === '403') || (isOnBehalf && ON_BEHALF_STATUSES.has(status));
  return errorBody === ErrorResponse && isCoded ? CodedErrorResponse : errorBody;
}

export function operationsOf({ paths }: OpenAPIObject): DocumentedOperation[] {
  const operations = Object.values(paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
  return operations as unknown as DocumentedOperation[];
}

/** As many words of its description as tell one error from the others of its status. */
const LEAST_WORDS = 4;

interface RepeatedError {
  status: string;
  response: DocumentedResponse;
  places: Record<string, unknown>[];
}

/**
 * Moves each error answer that several operations give to `components.responses`. Its name is that of its status, and, if others of
 * the status are given more often, the beginning of its description: `NotFound`, `NotFoundThereIsNoSuchModel`.
 */
export function nameRepeatedErrors(document: OpenAPIObject): void {
  const repeated = findErrors(document).filter(({ places }) => places.length > 1);
  const named = new Map<string, DocumentedResponse>();
  for (const { status, response, places } of repeated) {
    const name = freeName(named, status, response.description);
    named.set(name, response);
    for (const responses of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (named.size === 0) return;
  const responses = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
  document.components = { ...document.components, responses: responses as never };
}

/** The different error answers, the most frequent first. */
function findErrors(document: OpenAPIObject): RepeatedError[] {
  const errors = new Map<string, RepeatedError>();
  for (const { responses } of operationsOf(document))
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const key = status + JSON.stringify(response);
      const error = errors.get(key) ?? { status, response, places: [] };
      error.places.push(responses);
      errors.set(key, error);
    }
  return [...errors.values()].sort(
    (a, b) => b.places.length - a.places.length || (a.response.description < b.response.description ? -1 : 1),
  );
}

function freeName(named: Map<string, unknown>, status: string, description: string): string {
  const name = (STATUS_CODES[status] ?? status).replace(/\W/g, '');
  if (!named.has(name)) return name;
  const words = (description.match(/[A-Za-z0-9]+/g) ?? []).map(
    (word) => word[0]!.toUpperCase() + word.slice(1),
  );
  for (let count = LEAST_WORDS; count <= words.length; count++) {
    const longer = name + words.slice(0, count).join('');
    if (!named.has(longer)) return longer;
  }
  // The same description with another body.
  for (let number = 2; ; number++) if (!named.has(name + number)) return name + number;
}
