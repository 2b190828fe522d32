import { ApiErrors, CodedErrorResponse, ErrorResponse, OPTIONAL_WAIT } from '@inference/openapi';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { PostEventDto } from './event.dto';

const TURN_ID_EXAMPLE = 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA';

/** A conflict with a turn of the session. */
class BusyResponse extends ErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The first open turn, if the session is busy.',
    example: TURN_ID_EXAMPLE,
  })
  turn_id?: string;
}

/** An error of the request, or the gateway's refusal to call the model; then it has a code and a turn. */
class RefusalResponse extends CodedErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The stored turn that failed for this reason.',
    example: TURN_ID_EXAMPLE,
  })
  turn_id?: string;
}

/** Response headers of an accepted event. */
export const POSTED_EVENT_HEADERS = {
  'Idempotent-Replayed': {
    description: '`true` if the same request was accepted before under its idempotency key.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};

const REFUSALS = {
  400: 'A parameter or field is missing or malformed, the session has no such tool call, or the conversation’s last turn does not fit into the model’s context.',
  401: 'The credential is missing, expired or invalid, or the API key was deleted meanwhile.',
  402: 'The wallet or the limit of the API key does not cover the largest possible cost of the answer.',
  403: 'The API key may not use the model.',
  404: 'The model does not exist or is not offered, the session is being deleted, or the API key has limits and has not made the session of this id.',
  413: 'The body is too large, or the conversation is too large for the model’s server.',
  422: 'The model’s server refuses the request.',
  429: {
    description:
      'Too many requests, or too many turns of the session wait. Wait for the seconds in `Retry-After`; without it, the request is larger than a limit and no wait helps.',
    headers: OPTIONAL_WAIT,
  },
  502: 'The model gave no usable answer.',
  503: 'A dependency, such as the database or the gateway, is not available, or this process is overloaded or about to stop.',
  504: 'The model did not answer in time.',
};

const BUSY = 'The session is busy with another turn, or a tool call already has a result.';

const EXAMPLES = {
  message: { summary: 'A message.', value: { role: 'user', content: 'Hello' } },
  results: {
    summary: 'The result of a tool call.',
    value: {
      role: 'tool',
      tool_call_results: [{ tool_call_id: 'call_0Vc3kZ8dQ1mXw7RtYb2LsA', content: '12 degrees, rain' }],
    },
  },
};

export interface PostEventDocumentation {
  operationId: string;
  summary: string;
  description: string;
}

/** Documents an operation that takes an event: what it does, and all that can be refused before it is answered. */
export const ApiPostEvent = (documentation: PostEventDocumentation) =>
  applyDecorators(
    ApiOperation(documentation),
    ApiBody({ type: PostEventDto, examples: EXAMPLES }),
    ApiErrors(REFUSALS, RefusalResponse),
    ApiResponse({ status: 409, description: BUSY, type: BusyResponse }),
  );
