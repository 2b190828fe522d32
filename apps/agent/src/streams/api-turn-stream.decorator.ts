import { ApiEventStream } from '@inference/openapi';
import { type ApiResponseOptions } from '@nestjs/swagger';
import { ToolCallResponse } from '../tool-calls/tool.dto';
import {
  DeltaData,
  RequiresActionData,
  TurnCancelledData,
  TurnCompletedData,
  TurnErrorData,
  TurnStartedData,
} from './stream.response';

const EVENTS = {
  'turn.started': { description: 'The first event of a turn.', data: TurnStartedData },
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
