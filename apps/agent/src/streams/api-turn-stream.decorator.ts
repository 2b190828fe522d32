import { ApiEventStream } from '@inference/openapi';
import { ApiProperty, type ApiResponseOptions } from '@nestjs/swagger';
import { type ToolCall, ToolCallResponse } from '../tables/tool.dto';

// The data of each kind of stream event (spec: Events).

class TurnData {
  @ApiProperty({ description: 'The turn.', example: 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  turn_id!: string;
}

class TurnStartedData extends TurnData {}

class TurnWaitingData extends TurnData {
  @ApiProperty({ description: 'The limit that refuses the call.', example: 'key_requests_per_minute' })
  limit!: string;

  @ApiProperty({ description: 'The call is made again after so many seconds.', example: 3 })
  retry_after_seconds!: number;
}

class TurnCancelledData extends TurnData {}

class DeltaData {
  @ApiProperty({ description: 'The next piece of the answer.', example: 'Hello' })
  content!: string;
}

class RequiresActionData extends TurnData {
  @ApiProperty({ type: [ToolCallResponse], description: 'The calls that have no result yet.' })
  tool_calls!: ToolCall[];
}

/** Always `{}`. */
class TurnCompletedData {}

class TurnErrorData {
  @ApiProperty({ description: 'What is wrong, for people.', example: 'The model broke its answer off.' })
  error!: string;

  @ApiProperty({ description: 'For programs; it does not change between versions.', example: 'model_error' })
  code!: string;

  @ApiProperty({ description: 'Whether the same message may succeed later.', example: true })
  retryable!: boolean;
}

const EVENTS = {
  'turn.started': { description: 'The first event of a turn.', data: TurnStartedData },
  'turn.waiting': {
    description:
      'A limit of the key or the account refuses the call of the model; the turn goes on by itself.',
    data: TurnWaitingData,
  },
  delta: { description: 'A piece of the answer.', data: DeltaData },
  tool_call: { description: 'A complete call of a function.', data: ToolCallResponse },
  'turn.requires_action': {
    description: 'The turn waits for the results of these calls; the stream ends.',
    data: RequiresActionData,
  },
  'turn.completed': { description: 'The turn has succeeded; the stream ends.', data: TurnCompletedData },
  'turn.cancelled': { description: 'The turn was cancelled; the stream ends.', data: TurnCancelledData },
  error: { description: 'The turn has failed; the stream ends.', data: TurnErrorData },
};

const EXAMPLE = `
event: turn.started
id: 1.1
retry: 1000
data: {"turn_id":"turn_0Vbmi6x4CugJzZI7f7uRdZ"}

event: delta
id: 1.2
data: {"content":"Hello"}

event: delta
id: 1.3
data: {"content":", who are you?"}

event: turn.completed
id: 1.4
data: {}

`;

interface TurnStreamOptions {
  description: string;
  headers?: ApiResponseOptions['headers'];
}

/** The 200 of an operation that streams a turn. */
export const ApiTurnStream = ({ description, headers }: TurnStreamOptions) =>
  ApiEventStream({
    headers,
    description: `${description} Every event has an \`id\` (number of the turn and of the event), with which a client resumes. Further kinds may be added; clients ignore those that they do not know. A comment comes every 15 seconds. A stream without a last event was interrupted.`,
    events: EVENTS,
    example: EXAMPLE,
  });
