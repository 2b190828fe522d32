import { ApiRequestHeaders } from '@inference/dto';
import { ApiErrors, type EventStream, eventModelsOf, eventStreamContent } from '@inference/openapi';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { COST, ERRORS_OF_ANSWERS, REQUEST_ID } from '../proxy/api-proxy.decorator';
import { ProxyHeaders } from '../proxy/request/proxy-request.dto';
import { AnyEvent } from './tasks.dto';

export interface TaskDocumentation {
  operationId: string;
  summary: string;
  request: { type: string; model: Type };
  /** `audio`: bytes of a type that the request chooses. */
  response: Type | 'audio';
  /** Whether the client may ask for text instead of JSON. */
  hasText?: boolean;
  /** An example of server-sent events, if the client may ask for them. */
  events?: string;
}

const eventsOf = (example: string): EventStream => ({
  example,
  events: {
    message: {
      description: 'Events have no names.',
      data: [{ description: 'As the model’s server writes it.', data: AnyEvent }],
    },
  },
});

const BYTES = { schema: { type: 'string', format: 'binary' } };

/** Documents an endpoint of models with one task. */
export function ApiTask({ operationId, summary, request, response, hasText, events }: TaskDocumentation) {
  const stream = events === undefined ? undefined : eventsOf(events);
  return applyDecorators(
    ApiOperation({
      operationId,
      summary,
      description:
        'In the shapes of OpenAI, or of Jina and Cohere; the official SDKs work unchanged. Fields that are not listed are passed to the model. What the model is priced by is charged when the response is complete; an answer that its server breaks off is free.',
      requestBody: {
        required: true,
        content: { [request.type]: { schema: { $ref: getSchemaPath(request.model) } } },
      },
    }),
    ApiExtraModels(
      request.model,
      ...(response === 'audio' ? [] : [response]),
      ...(stream ? eventModelsOf(stream) : []),
    ),
    ApiRequestHeaders(ProxyHeaders),
    ApiResponse({
      status: 200,
      description: 'The answer of the model.',
      headers: { ...REQUEST_ID, ...COST },
      content: {
        ...(response === 'audio'
          ? { '*/*': BYTES }
          : { 'application/json': { schema: { $ref: getSchemaPath(response) } } }),
        ...(hasText && {
          'text/plain': { schema: { type: 'string' } },
          '*/*': { schema: { type: 'string' } },
        }),
        ...(stream && { 'text/event-stream': eventStreamContent(stream) }),
      },
    }),
    ApiErrors({
      ...ERRORS_OF_ANSWERS,
      404: 'The model does not exist, is not offered, or has no price of what the endpoint counts.',
    }),
  );
}
