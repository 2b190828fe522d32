import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';

/** Why an operation answers with a status, and the headers of that answer which differ from those of every answer with the status. */
export type Reason = string | { description: string; headers: ApiResponseOptions['headers'] };

/** Headers of a 429 that may be final: the request itself is larger than a limit. */
export const OPTIONAL_WAIT = {
  'Retry-After': {
    description: 'Seconds to wait. Missing if no wait helps.',
    schema: { type: 'integer' as const },
  },
};

/**
 * The errors of an operation beside those that its credentials, parameters and body imply (400, 401, 403, 408, 413, 415, 429, 500,
 * 503), with the reason of each. Without a type the document adds the body in the shape of the service.
 */
export const ApiErrors = (reasons: Record<number, Reason>, type?: Type) =>
  applyDecorators(
    ...Object.entries(reasons).map(([status, reason]) =>
      ApiResponse({
        status: Number(status),
        ...(typeof reason === 'string' ? { description: reason } : reason),
        ...(type && { type }),
      }),
    ),
  );

export interface DocumentedEvent {
  description: string;
  /** Class of the JSON in `data`; text if absent. */
  data?: Type | DocumentedData[];
}

/** One of several forms of `data`. */
export interface DocumentedData {
  description: string;
  /** Class of the JSON, or the text in place of JSON. */
  data: Type | string;
}

export interface EventStream {
  /** By the name in the line `event:`; `message` for events without one. */
  events: Record<string, DocumentedEvent>;
  /** A stream as a client receives it. */
  example: string;
}

export interface EventStreamOptions extends EventStream {
  description: string;
  headers?: ApiResponseOptions['headers'];
}

/** The 200 of an operation that answers with server-sent events. */
export const ApiEventStream = ({ description, headers, ...stream }: EventStreamOptions) =>
  applyDecorators(
    ApiExtraModels(...eventModelsOf(stream)),
    ApiResponse({
      status: 200,
      description,
      ...(headers && { headers }),
      content: { 'text/event-stream': eventStreamContent(stream) },
    }),
  );

/** The content of a response that is a stream. `x-events` holds the schema of each kind of event. */
export function eventStreamContent({ events, example }: EventStream): object {
  const kinds = Object.entries(events).map(([name, { description, data }]) => [
    name,
    { description, schema: schemaOf(data) },
  ]);
  return {
    schema: { type: 'string' },
    example: example.trimStart(),
    'x-events': Object.fromEntries(kinds) as object,
  };
}

/** The classes to which `eventStreamContent` refers. */
export const eventModelsOf = ({ events }: EventStream): Type[] =>
  Object.values(events)
    .flatMap(({ data }) => (Array.isArray(data) ? data.map((form) => form.data) : (data ?? [])))
    .filter((data) => typeof data !== 'string');

function schemaOf(data: Type | DocumentedData[] | undefined): object {
  if (data === undefined) return { type: 'string' };
  if (!Array.isArray(data)) return { $ref: getSchemaPath(data) };
  const forms = data.map(({ description, data: form }) =>
    typeof form === 'string'
      ? { description, type: 'string', const: form }
      : { description, $ref: getSchemaPath(form) },
  );
  return { anyOf: forms };
}

export interface FileOptions {
  description: string;
  mediaTypes: string[];
  status?: number;
  headers?: ApiResponseOptions['headers'];
}

/** A download: 200 with the bytes of a file that browsers save. */
export const ApiFile = ({ description, mediaTypes, status = 200, headers }: FileOptions) =>
  ApiResponse({
    status,
    description,
    headers: {
      'Content-Disposition': {
        description: '`attachment` with the name of the file.',
        schema: { type: 'string', pattern: '^attachment' },
        required: true,
      },
      ...headers,
    },
    content: Object.fromEntries(
      mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]),
    ),
  });

export interface OneOfOptions {
  description: string;
  types: Type[];
  status?: number;
  headers?: ApiResponseOptions['headers'];
}

/** A JSON response that is of one of several classes; 200 by default. */
export const ApiOneOf = ({ description, types, status = 200, headers = {} }: OneOfOptions) =>
  applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({
      status,
      description,
      headers,
      schema: { oneOf: types.map((type) => ({ $ref: getSchemaPath(type) })) },
    }),
  );

/** Extension of a schema that `toOpenApi31` replaces by `additionalProperties: true`. */
export const OPEN_OBJECT = 'x-open-object';

/** Class decorator: objects may have further members, because an outside system decides on them. */
export const ApiOpenObject = (): ClassDecorator => ApiExtension(OPEN_OBJECT, true) as ClassDecorator;
