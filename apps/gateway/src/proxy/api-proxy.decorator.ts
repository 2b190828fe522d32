import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ApiRequestHeaders } from '@inference/dto';
import {
  ApiErrors,
  type EventStream,
  eventModelsOf,
  eventStreamContent,
  OPTIONAL_WAIT,
} from '@inference/openapi';
import { OpenAiErrorResponse } from '../errors/openai-error';
import { DONE } from './streaming/stream-meter';
import { ProxyHeaders } from './request/proxy-request.dto';

export interface ProxyDocumentation {
  operationId: string;
  summary: string;
  request: Type;
  response: Type;
  /** None if the endpoint does not stream. */
  stream?: { chunk: Type; example: string };
}

export const REQUEST_ID = {
  'X-Inference-Request-Id': {
    description: 'Names the request in the usage of the account.',
    schema: { type: 'string' as const },
  },
};

const SERVED_MODEL = {
  'X-Inference-Model': {
    description: 'The slug of the model that answers, if the request names another model or an alias.',
    schema: { type: 'string' as const },
    example: 'sandbox-mini',
  },
};

export const OUTPUT_LIMIT = {
  'X-Output-Limit': {
    description:
      'The limit in tokens that the gateway has set for each answer, because the request names none and more would take over a quarter of the free money.',
    schema: { type: 'integer' as const },
    example: 4096,
  },
};

export const COST = {
  'X-Cost': {
    description:
      'What the call costs, in the site’s currency, if the answer is no stream and has no `usage` that tells it.',
    schema: { type: 'string' as const, pattern: '^\\d+(\\.\\d+)?$' },
    example: '0.0000222',
  },
};

export const LIMITED = {
  description:
    '`rate_limit_exceeded`: a limit of the API key or the account, which the error names; `upstream_busy`: all servers of the model are full or have asked for a pause. `Retry-After` says for how long to wait; without it, the request is larger than a limit and no wait helps.',
  headers: OPTIONAL_WAIT,
};

/** Errors of endpoints that a model answers, beside the implied ones. */
export const ERRORS_OF_ANSWERS = {
  402: 'The wallet or the limit of the API key does not cover the largest possible cost.',
  403: 'The API key may not use the model, or the entrypoint is reserved. `on_behalf_forbidden`: a request with an API key has a header of services.',
  404: 'The model does not exist or is not offered.',
  429: LIMITED,
  409: '`idempotency_key_reused`: another request was sent with the key; `idempotency_key_in_use`: another process works on its call; `already_charged`: its call was charged, and the answer is not kept any longer.',
  422: 'The model’s server refuses the request.',
  502: 'No server of the model gave a usable answer.',
  503: '`billing_unavailable`: the request could not be billed and is free; `billing_unknown`: it may have been charged and must not be repeated, as the header `x-should-retry: false` says; `database_unavailable`; `busy`: too many large bodies; `exchange_rate_missing`.',
  504: 'No server of the model answered in time.',
};

/** Of the event that tells an error in a stream of any protocol. */
export const BROKEN_OFF = 'The answer broke off or could not be billed.';

const STREAM_DESCRIPTION =
  ' With `stream` the answer is server-sent events without names. A fault before the first event is an answer with a status of its own; a fault after it is an event with `error`.';

const eventsOf = ({ chunk, example }: NonNullable<ProxyDocumentation['stream']>): EventStream => ({
  example,
  events: {
    message: {
      description: 'Events have no names.',
      data: [
        {
          description:
            'A piece of the answers. If `stream_options.include_usage` is true, the last chunk has the usage with the cost and no choices.',
          data: chunk,
        },
        { description: BROKEN_OFF, data: OpenAiErrorResponse },
        { description: 'The last event. A complete answer has been charged.', data: DONE },
      ],
    },
  },
});

/** Documents an endpoint that a model answers. */
export function ApiProxy({ operationId, summary, request, response, stream }: ProxyDocumentation) {
  const json = { schema: { $ref: getSchemaPath(response) } };
  const events = stream && eventsOf(stream);
  return applyDecorators(
    ApiOperation({
      operationId,
      summary,
      description:
        'In OpenAI’s shapes; the official SDKs work unchanged. Fields that are not listed are passed to the model. The tokens are charged at the published price when the response is complete.' +
        (stream ? STREAM_DESCRIPTION : ''),
    }),
    ApiExtraModels(response, ...(events ? eventModelsOf(events) : [])),
    ApiBody({ type: request }),
    ApiRequestHeaders(ProxyHeaders),
    ApiResponse({
      status: 200,
      description: 'The answer of the model.',
      headers: { ...REQUEST_ID, ...SERVED_MODEL, ...OUTPUT_LIMIT, ...COST },
      content: {
        'application/json': json,
        ...(events && { 'text/event-stream': eventStreamContent(events) }),
      },
    }),
    ApiErrors(ERRORS_OF_ANSWERS),
  );
}
