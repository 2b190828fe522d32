import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { type EventType } from '../tables/session-event.entity';
import { type StoredEvent } from '../session-log/session-events.repository';
import {
  type ToolCall,
  ToolCallResponse,
  type ToolCallResult,
  ToolCallResultResponse,
} from '../tables/tool.dto';
import { type TurnStatus } from '../tables/turn.entity';

const TURN_ID = { description: 'The turn of the event.', example: 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA' };
const EVENT_TYPES: EventType[] = ['message', 'tool_calls', 'tool_result', 'turn.failed', 'turn.cancelled'];
const STATUSES = ['queued', 'running', 'requires_action', 'completed', 'incomplete', 'failed', 'cancelled'];

/** Tokens of one call of the model. */
class UsageResponse {
  @ApiProperty({ type: 'integer', description: 'Tokens of the prompt.', example: 12 })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answer.', example: 34 })
  completion_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'The sum.', example: 46 })
  total_tokens!: number;
}

/** Why a turn has failed. */
class EventErrorResponse {
  @ApiProperty({
    description: 'For programs; it does not change between versions.',
    example: 'insufficient_balance',
  })
  code!: string;

  @ApiProperty({
    description: 'For people.',
    example: 'The wallet does not cover the most that this answer can cost. Top it up.',
  })
  message!: string;

  @ApiProperty({ description: 'Whether the same message may succeed later.', example: false })
  retryable!: boolean;
}

/** An event as clients see it (spec: Agent event). */
export class EventResponse {
  @ApiProperty({ description: 'Names the event.', example: 'evt_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The session of the event.', example: 'support-4711' })
  session_id!: string;

  @ApiProperty({ type: 'integer', description: 'Number in the session, from 1, without gaps.', example: 1 })
  seq!: number;

  @ApiProperty({
    enum: EVENT_TYPES,
    description:
      '`message`: a text of the user or the model. `tool_calls`: the model calls functions. `tool_result`: results of calls. `turn.failed`, `turn.cancelled`: the turn has ended without an answer, or in the middle of it.',
    example: 'message',
  })
  type!: EventType;

  @ApiProperty({
    enum: ['user', 'assistant', 'tool'],
    description: 'Who speaks; `assistant` for the end of a turn.',
    example: 'user',
  })
  role!: StoredEvent['role'];

  @ApiProperty({
    description: 'The text. It may be empty, and is for `turn.failed` and `turn.cancelled`.',
    example: 'Hello',
  })
  content!: string;

  @ApiProperty({
    type: [ToolCallResponse],
    required: false,
    description: 'The calls of the model, or those that the caller sent with the event.',
  })
  tool_calls?: ToolCall[];

  @ApiProperty({ type: [ToolCallResultResponse], required: false, description: 'Results of calls.' })
  tool_call_results?: ToolCallResult[];

  @ApiProperty(TURN_ID)
  turn_id!: string;

  @ApiProperty({
    enum: STATUSES,
    description:
      'For an event of the caller the current status of its turn. For others it does not change; `incomplete`: the turn ended before the text was complete.',
    example: 'running',
  })
  status!: TurnStatus | 'incomplete';

  @ApiProperty({
    required: false,
    description: 'Why the model stopped, as its server says.',
    example: 'stop',
  })
  finish_reason?: string;

  @ApiProperty({ required: false, description: 'The tokens of the call of the model, if they are known.' })
  usage?: UsageResponse;

  @ApiProperty({
    required: false,
    description:
      'The call of the model that wrote the event; of `turn.failed` and `turn.cancelled` the call that broke off. `GET /api/billing/requests/{requestId}` of the console has its cost. It is named when it has ended.',
    example: 'req_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  request_id?: string;

  @ApiProperty({ required: false, description: 'Only for `turn.failed`: why.' })
  error?: EventErrorResponse;

  @ApiProperty({
    required: false,
    description: 'Only for `turn.cancelled`: why, for people.',
    example: 'The caller cancelled this turn.',
  })
  reason?: string;

  @InstantProperty({ description: 'When the event was stored.' })
  created_at!: string;
}

export class EventListResponse {
  @ApiProperty({ type: [EventResponse], description: 'The events, oldest first.' })
  events!: EventResponse[];

  @ApiProperty({ description: 'Whether the session has events after the last one.', example: false })
  has_more!: boolean;
}

/** @param sessionId the id of the session that the caller uses */
export function toEventResponse(
  sessionId: string,
  event: StoredEvent,
  turnStatus: TurnStatus,
): EventResponse {
  return {
    id: event.id,
    session_id: sessionId,
    seq: Number(event.seq),
    type: event.type,
    role: event.role,
    ...textsOf(event),
    ...(event.toolCalls && { tool_calls: event.toolCalls }),
    ...(event.toolCallResults && { tool_call_results: event.toolCallResults }),
    turn_id: event.turnId,
    status: event.status ?? turnStatus,
    ...(event.finishReason !== null && { finish_reason: event.finishReason }),
    ...(event.usage && { usage: event.usage }),
    ...(event.requestId !== null && { request_id: event.requestId }),
    ...(event.error && { error: event.error }),
    created_at: event.createdAt.toISOString(),
  };
}

/** The end of a turn has the role of the assistant, who did not say why the turn ended. */
function textsOf({ type, content }: StoredEvent): { content: string; reason?: string } {
  switch (type) {
    case 'turn.cancelled':
      return { content: '', reason: content };
    // Earlier versions stored the message of the error here, too.
    case 'turn.failed':
      return { content: '' };
    default:
      return { content };
  }
}
