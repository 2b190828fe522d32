import {
  type ToolCall,
  type ToolCallDto,
  type ToolCallResult,
  type ToolCallResultDto,
} from '../tool-calls/tool.dto';
import { type PostEventDto } from './event.dto';

interface Message {
  role: 'user' | 'assistant';
  content: string;
  tool_calls: ToolCall[] | undefined;
}

interface ToolEvent {
  role: 'tool';
  content: string | null | undefined;
  tool_calls: ToolCall[] | undefined;
  tool_call_results: ToolCallResult[];
}

/** A posted event, distinguished by its role. */
export type EventBody = Message | ToolEvent;

/**
 * Returns the event of a valid body. The order of the members is fixed, whatever the client's: the JSON is hashed to recognise a
 * repeated request (see `fingerprintOf`).
 */
export function eventBodyOf({ role, content, tool_calls: calls, tool_call_results: results }: PostEventDto) {
  const sentBack = calls?.length ? calls.map(toolCallOf) : undefined;
  const event: EventBody =
    role === 'tool'
      ? { role, content, tool_calls: sentBack, tool_call_results: results!.map(toolCallResultOf) }
      : { role, content: content!, tool_calls: sentBack };
  return event;
}

const toolCallOf = ({ id, type, function: called }: ToolCallDto): ToolCall => ({
  id,
  type,
  function: { name: called.name, arguments: called.arguments },
});

const toolCallResultOf = ({ tool_call_id, content, is_error }: ToolCallResultDto): ToolCallResult => ({
  tool_call_id,
  content,
  ...(typeof is_error === 'boolean' && { is_error }),
});
