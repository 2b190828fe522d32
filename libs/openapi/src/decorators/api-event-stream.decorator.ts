import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';

export interface DocumentedEvent {
  description: string;
  /** Class of the JSON in `data`; text if absent. */
  data?: Type;
}

export interface EventStreamOptions {
  description: string;
  /** By the name in the line `event:`; `message` for events without one. */
  events: Record<string, DocumentedEvent>;
  /** A stream as a client receives it. */
  example: string;
  headers?: ApiResponseOptions['headers'];
}

/** The 200 of an operation that answers with server-sent events. `x-events` holds the schema of each kind. */
export function ApiEventStream({ description, events, example, headers }: EventStreamOptions) {
  const models = Object.values(events).flatMap(({ data }) => (data ? [data] : []));
  const kinds = Object.entries(events).map(([name, event]) => [
    name,
    {
      description: event.description,
      schema: event.data ? { $ref: getSchemaPath(event.data) } : { type: 'string' },
    },
  ]);
  return applyDecorators(
    ApiExtraModels(...models),
    ApiResponse({
      status: 200,
      description,
      ...(headers && { headers }),
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          example,
          'x-events': Object.fromEntries(kinds) as Record<string, unknown>,
        } as object,
      },
    }),
  );
}
