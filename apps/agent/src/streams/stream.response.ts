import { ApiProperty } from '@nestjs/swagger';
import { type ToolCall, ToolCallResponse } from '../tool-calls/tool.dto';

// The data of each kind of stream event (spec: Events).

class TurnData {
  @ApiProperty({ description: 'The turn.', example: 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  turn_id!: string;
}

export class TurnStartedData extends TurnData {}

export class TurnCancelledData extends TurnData {}

export class DeltaData {
  @ApiProperty({ description: 'The next piece of the answer.', example: 'Hello' })
  content!: string;
}

export class RequiresActionData extends TurnData {
  @ApiProperty({ type: [ToolCallResponse], description: 'The calls that have no result yet.' })
  tool_calls!: ToolCall[];
}

/** Always `{}`. */
export class TurnCompletedData {}

export class TurnErrorData {
  @ApiProperty({ description: 'What is wrong, for people.', example: 'The model broke its answer off.' })
  error!: string;

  @ApiProperty({ description: 'For programs; it does not change between versions.', example: 'model_error' })
  code!: string;

  @ApiProperty({ description: 'Whether the same message may succeed later.', example: true })
  retryable!: boolean;
}
