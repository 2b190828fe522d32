import { ChoiceField, IdField, IntegerParameter, ObjectListField, TextField, Tolerant } from '@inference/dto';
import { ApiSchema } from '@nestjs/swagger';
import { SessionPath } from '../sessions/session.dto';
import { PositionField, type StreamPosition } from '../streams/stream-event';
import { MAX_CALLS, MAX_CONTENT_CHARS, ToolCallDto, ToolCallResultDto } from '../tables/tool.dto';
import { Rule } from '../rule.decorator';

const hasRole =
  (...roles: unknown[]) =>
  (event: Record<string, unknown>) =>
    roles.includes(event.role);
const isMessage = hasRole('user', 'assistant');
const isToolEvent = hasRole('tool');

const areDistinct = (results: ToolCallResultDto[]) =>
  new Set(results.map((result) => result.tool_call_id)).size === results.length;

/**
 * The body of a posted event (spec: Agent event). Clients may serialise every field: unknown fields are dropped, and an optional
 * field that is null or an empty list counts as absent.
 */
@Tolerant()
@ApiSchema({
  description:
    'A message (role `user` or `assistant`) needs `content`; results of tools (role `tool`) need `tool_call_results`. Unknown fields are dropped. An optional field that is null or an empty list counts as absent.',
})
export class PostEventDto {
  @ChoiceField(['user', 'assistant', 'tool'], {
    description:
      '`user` for a message, which the model answers; `tool` for results of tools; `assistant` for an answer that the client brings along, such as a greeting: it is stored, the model is not called, and later calls of the model contain it.',
    example: 'user',
  })
  role!: 'user' | 'assistant' | 'tool';

  @Rule<string>('isSaid', (text, event) => text !== '' || !isMessage(event), 'must not be empty')
  @TextField({
    description:
      'With the role `user` or `assistant` the message: required and not empty. With the role `tool` optional; it is stored, and the model does not read it.',
    example: 'Hello',
    minLength: 0,
    maxLength: MAX_CONTENT_CHARS,
    optional: true,
    nullable: true,
    requiredIf: isMessage,
  })
  content?: string | null;

  @ObjectListField(() => ToolCallDto, {
    description: 'Calls of the model that the client sends back. They are stored with the event.',
    maxItems: MAX_CALLS,
    optional: true,
    nullable: true,
  })
  tool_calls?: ToolCallDto[] | null;

  @Rule('areDistinct', areDistinct, 'each tool_call_id must come once')
  @Rule<unknown[]>(
    'areThere',
    (results, event) => results.length > 0 || !isToolEvent(event),
    'must have at least 1 entries',
  )
  @Rule<unknown[]>(
    'belongToTool',
    (results, event) => results.length === 0 || !isMessage(event),
    'belong to the role tool',
  )
  @ObjectListField(() => ToolCallResultDto, {
    description:
      'With the role `tool` results of calls: at least one, each for another call. With another role absent, null or empty.',
    maxItems: MAX_CALLS,
    optional: true,
    nullable: true,
    requiredIf: isToolEvent,
  })
  tool_call_results?: ToolCallResultDto[] | null;
}

export class PostEventQuery {
  @ChoiceField(['enqueue', 'interrupt'], {
    description:
      'What happens to a message while another turn is open: `enqueue` lets it wait, `interrupt` cancels all open turns first. Without it the answer is 409. An event with the role `assistant` does not wait: `enqueue` stores it as completed at once, with a lower `seq` than the answer of the running turn; the model reads it after that answer, because prompts are ordered by turn number.',
    optional: true,
  })
  on_busy?: 'enqueue' | 'interrupt';
}

/** The greatest `seq` that a JSON number holds exactly with room to spare: 15 digits. */
const MAX_SEQ = 999_999_999_999_999;

export class EventsQuery {
  @IntegerParameter({
    description: 'The last `seq` that the caller has; the page begins after it.',
    min: 0,
    max: MAX_SEQ,
    optional: true,
    default: 0,
  })
  after: number = 0;

  @IntegerParameter({
    description: 'Most events of a page. A page of large events has fewer.',
    min: 1,
    max: 100,
    optional: true,
    default: 50,
  })
  limit: number = 50;
}

export class EventPath extends SessionPath {
  @IdField({ description: 'The id of the event.', noun: 'event', prefix: 'evt' })
  event_id!: string;
}

const POSITION = 'The `id` of the last event of a stream of the session that the client has received.';

export class ResumeQuery {
  @PositionField({ description: `${POSITION} The header goes first.`, optional: true })
  after?: StreamPosition;
}

export class ResumeHeaders {
  @PositionField({ description: `${POSITION} An EventSource sends it.`, optional: true, mayBeEmpty: true })
  'Last-Event-ID'?: StreamPosition;
}
