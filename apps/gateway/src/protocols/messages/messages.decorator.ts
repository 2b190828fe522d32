import { ApiRequestHeaders } from '@inference/dto';
import { Accepts } from '@inference/guards';
import { ApiErrors, type EventStream, eventModelsOf, eventStreamContent } from '@inference/openapi';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { AnthropicErrorResponse } from '../../errors/anthropic-error';
import { BROKEN_OFF, LIMITED, OUTPUT_LIMIT, REQUEST_ID } from '../../proxy/api-proxy.decorator';
import { ProxyHeaders } from '../../proxy/request/proxy-request.dto';
import { MessageResponse, MessagesEvent, MessagesRequest } from './messages.dto';

const EXAMPLE = `
event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"sandbox-chat","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`;

const event = (description: string) => ({ description, data: MessagesEvent });

const STREAM: EventStream = {
  example: EXAMPLE,
  events: {
    message_start: event('The message, still empty. The usage is in `message_delta`.'),
    ping: event('Keeps the connection open; ignore it.'),
    content_block_start: event('A block begins.'),
    content_block_delta: event(
      'A piece of the block: `text_delta`, `thinking_delta`, `signature_delta` or `input_json_delta`.',
    ),
    content_block_stop: event('The block is complete.'),
    message_delta: event('Why the answer ends, and the metered tokens.'),
    message_stop: event('The last event. A complete answer has been charged.'),
    error: { description: BROKEN_OFF, data: AnthropicErrorResponse },
  },
};

const REASONS = {
  400: 'A field is missing, malformed, or cannot be carried over to the model’s server: the message names it. `on_behalf_missing`: a service names no account.',
  401: 'The credential is missing, expired or invalid. `on_behalf_unknown`: a service names an account or API key that does not exist.',
  403: 'The API key may not use the model, or the entrypoint is reserved. `on_behalf_forbidden`: a request with an API key has a header of services.',
  404: 'The model does not exist or is not offered.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The content type or encoding of the body is not supported.',
  429: 'Too many requests. Wait for the seconds in `Retry-After`.',
  500: 'An unexpected fault of the service.',
  503: '`database_unavailable`; `busy`: too many large bodies; `exchange_rate_missing`; for an answer of a model also `billing_unavailable`, which is free, and `billing_unknown`, which may have been charged.',
};
const REASONS_OF_ANSWERS = {
  402: 'The wallet or the limit of the API key does not cover the largest possible cost.',
  409: '`idempotency_key_reused`, `idempotency_key_in_use`, `already_charged`: the `Idempotency-Key` was used before.',
  422: 'The model’s server refuses the request.',
  429: LIMITED,
  502: 'No server of the model gave a usable answer.',
  504: 'No server of the model answered in time.',
};

/** What both endpoints of Anthropic's Messages have in common. */
export const ApiAnthropic = (
  operation: { operationId: string; summary: string; description: string },
  request: Type,
) =>
  applyDecorators(
    Accepts('api_key', 'api_key_header', 'on_behalf'),
    ApiOperation(operation),
    ApiBody({ type: request }),
    ApiErrors(REASONS, AnthropicErrorResponse),
  );

/** Documents `POST /v1/messages`. */
export const ApiMessages = () =>
  applyDecorators(
    ApiAnthropic(
      {
        operationId: 'createMessage',
        summary: 'Answers a conversation in Anthropic’s shapes.',
        description:
          'Anthropic’s SDKs and Claude Code work unchanged. The request is translated for the model’s server, and its answer back. A field that cannot be carried over is refused by its name; what has no effect there is left out and named in `X-Ignored-Fields`. The tokens are charged as those of a chat completion.',
      },
      MessagesRequest,
    ),
    ApiRequestHeaders(ProxyHeaders),
    ApiExtraModels(MessageResponse, ...eventModelsOf(STREAM)),
    ApiResponse({
      status: 200,
      description: 'The answer of the model.',
      headers: { ...REQUEST_ID, ...OUTPUT_LIMIT },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(MessageResponse) } },
        'text/event-stream': eventStreamContent(STREAM),
      },
    }),
    ApiErrors(REASONS_OF_ANSWERS, AnthropicErrorResponse),
  );
