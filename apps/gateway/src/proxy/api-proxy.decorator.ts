import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ApiRequestHeaders } from '@inference/dto';
import { ApiErrors } from '@inference/openapi';
import { ProxyHeaders } from './request/proxy-request.dto';

export interface ProxyDocumentation {
  operationId: string;
  summary: string;
  request: Type;
  response: Type;
  /** A stream as a client receives it; none if the endpoint does not stream. */
  streamExample?: string;
}

const REQUEST_ID = {
  'X-Inference-Request-Id': {
    description: 'Names the request in the usage of the account.',
    schema: { type: 'string' as const },
  },
};

/** Documents an endpoint that a model answers. */
export function ApiProxy({ operationId, summary, request, response, streamExample }: ProxyDocumentation) {
  const json = { schema: { $ref: getSchemaPath(response) } };
  const stream = { schema: { type: 'string' as const }, example: streamExample };
  return applyDecorators(
    ApiOperation({
      operationId,
      summary,
      description:
        'In OpenAI’s shapes; the official SDKs work unchanged. Fields that are not listed are passed to the model. The tokens are charged at the published price when the response is complete.',
    }),
    ApiExtraModels(response),
    ApiBody({ type: request }),
    ApiRequestHeaders(ProxyHeaders),
    ApiResponse({
      status: 200,
      description: 'The answer of the model.',
      headers: REQUEST_ID,
      content: {
        'application/json': json,
        ...(streamExample !== undefined && { 'text/event-stream': stream }),
      },
    }),
    ApiErrors({
      402: 'The wallet or the limit of the API key does not cover the largest possible cost.',
      403: 'The API key may not use the model, or the entrypoint is reserved.',
      404: 'The model does not exist or is not offered.',
      422: 'The model’s server refuses the request.',
      502: 'No server of the model gave a usable answer.',
      504: 'No server of the model answered in time.',
    }),
  );
}
