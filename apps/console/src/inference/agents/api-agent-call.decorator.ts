import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ApiEventStream } from '@inference/openapi';
import {
  AgentErrorResponse,
  AgentObject,
  type AgentSessionChange,
  NewAgentEvent,
  type NewAgentSession,
} from './agents.dto';

export interface AgentCall {
  operationId: string;
  summary: string;
  /** Operation of the agent's API document that describes request and answer. */
  forwardsTo: string;
  /** Status of a success; 200 by default. */
  status?: 200 | 201 | 204;
  /** The answer is the stream of a turn. */
  streams?: boolean;
  body?: typeof NewAgentSession | typeof AgentSessionChange | typeof NewAgentEvent;
  /** Reasons of errors that only some operations have. */
  errors?: Record<number, string>;
}

const COMMON_ERRORS = {
  500: 'An unexpected fault of the console or the agent service.',
  400: 'A parameter or field is missing or malformed.',
  404: 'The account has no such session, or what the message says. `not_offered`: the site has no agents.',
  429: 'Too many requests at the console or at the agent service. Wait for the seconds in `Retry-After`.',
  503: '`agent_unavailable`: the agent service cannot be reached. Other codes are its own. Or the database is not available.',
  504: '`agent_timeout`: the agent service did not answer in time.',
};

const EVENT_ERRORS = {
  402: '`insufficient_balance`: the wallet does not cover the largest possible cost of the answer.',
  403: 'The account may not use the model.',
  409: 'The session is busy with another turn, a tool call already has a result, or the idempotency key was used for another request.',
  410: 'The event was accepted before, and its stream is not stored any more.',
  413: 'The body is too large, or the conversation is too large for the model’s server.',
  422: 'The model’s server refuses the request.',
  502: 'The model gave no usable answer.',
};

const KINDS = [
  'turn.started',
  'turn.waiting',
  'delta',
  'tool_call',
  'turn.requires_action',
  'turn.completed',
  'turn.cancelled',
  'error',
];

const STREAM = {
  description: 'The events of the turn, as the agent service sends them.',
  events: Object.fromEntries(
    KINDS.map((kind) => [kind, { description: 'As in the agent’s API document.', data: AgentObject }]),
  ),
  example: `
event: delta
id: 1.2
data: {"content":"Hello"}

event: turn.completed
id: 1.3
data: {}

`,
};

function successOf({ status = 200, streams = false }: AgentCall) {
  if (status === 204) return ApiNoContentResponse({ description: 'It is done.' });
  if (streams) return ApiEventStream(STREAM);
  return ApiResponse({ status, description: 'The answer of the agent service.', type: AgentObject });
}

/** Documents an operation that is forwarded to the agent service. */
export const ApiAgentCall = (call: AgentCall) =>
  applyDecorators(
    ApiOperation({
      operationId: call.operationId,
      summary: call.summary,
      description: `Request and answer are those of \`${call.forwardsTo}\` of the agent service.`,
    }),
    successOf(call),
    ...(call.body ? [ApiBody({ type: call.body })] : []),
    ...Object.entries({
      ...COMMON_ERRORS,
      ...(call.body === NewAgentEvent && EVENT_ERRORS),
      ...call.errors,
    }).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, type: AgentErrorResponse }),
    ),
  );
