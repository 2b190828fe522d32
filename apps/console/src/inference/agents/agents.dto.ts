import { ChoiceField, IntegerParameter, TextField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiOpenObject, CodedErrorResponse } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

const MAX_SEARCH_CHARS = 512;
/** Room for any id that the agent service accepts; it judges the form. */
const MAX_ID_CHARS = 128;
const MAX_POSITION_CHARS = 64;

export class AgentSessionPath {
  @TextField({ description: 'The id of the session.', example: 'support-4711', maxLength: MAX_ID_CHARS })
  session_id!: string;
}

export class AgentSessionsQuery extends PageQuery {
  @TextField({
    description:
      'Finds the sessions of which this is a part of the id or of the text `title` of the metadata.',
    example: 'invoice',
    maxLength: MAX_SEARCH_CHARS,
    optional: true,
  })
  q?: string;

  @ChoiceField(['newest', 'oldest'], { description: 'Which sessions come first.', optional: true })
  sort?: string;
}

export class AgentEventPath extends AgentSessionPath {
  @TextField({
    description: 'The id of the event.',
    example: 'evt_0Vc3kZ8dQ1mXw7RtYb2LsA',
    maxLength: MAX_ID_CHARS,
  })
  event_id!: string;
}

export class PostAgentEventQuery {
  @ChoiceField(['enqueue', 'interrupt'], {
    description:
      'What happens to a message while another turn is open: it waits, or it cancels the open turns. Without it the answer is 409.',
    optional: true,
  })
  on_busy?: 'enqueue' | 'interrupt';
}

export class AgentEventsQuery {
  @IntegerParameter({
    description: 'The last `seq` that the caller has; the page begins after it.',
    min: 0,
    max: 999_999_999_999_999,
    optional: true,
  })
  after?: number;

  @IntegerParameter({
    description: 'Most events of a page, 50 by default.',
    min: 1,
    max: 100,
    optional: true,
  })
  limit?: number;
}

const POSITION = 'The `id` of the last event of a stream of the session that the client has received.';

export class ResumeAgentStreamQuery {
  @TextField({
    description: `${POSITION} The header goes first.`,
    example: '3.17',
    maxLength: MAX_POSITION_CHARS,
    optional: true,
  })
  after?: string;
}

export class ResumeAgentStreamHeaders {
  @TextField({
    description: POSITION,
    example: '3.17',
    minLength: 0,
    maxLength: MAX_POSITION_CHARS,
    optional: true,
  })
  'Last-Event-ID'?: string;
}

/** The body of a request to the agent service, which validates it. */
@ApiOpenObject()
export class NewAgentSession {
  @ApiProperty({ required: false, description: 'The id of the session.', example: 'support-4711' })
  id?: string;
}

/** The body of a request to the agent service, which validates it. */
@ApiOpenObject()
export class AgentSessionChange {
  @ApiProperty({
    description: 'The texts of the caller from now on.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { title: 'Broken invoice' },
  })
  metadata!: Record<string, string>;
}

/** The body of a request to the agent service, which validates it. */
@ApiOpenObject()
export class NewAgentEvent {
  @ApiProperty({ enum: ['user', 'assistant', 'tool'], description: 'Who says it.', example: 'user' })
  role!: string;

  @ApiProperty({ required: false, description: 'The message.', example: 'Hello' })
  content?: string;
}

/** An object of the agent service; its API document describes it. */
@ApiOpenObject()
export class AgentObject {}

export class AgentErrorResponse extends CodedErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The turn that failed or that is in the way.',
    example: 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  turn_id?: string;
}
