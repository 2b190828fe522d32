import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';

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
