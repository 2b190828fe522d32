import { type Usage } from '@inference/model-calls';
import { type EventError, type EventRow, type EventType } from '../session-log/session-event';
import { type ToolCall, type ToolCallResult } from '../tool-calls/tool.dto';
import { type TurnStatus } from '../turns/turn';

/** An event as clients see it (spec: Agent event). */
export interface EventView {
  id: string;
  session_id: string;
  /** Number in the session, from 1, without gaps. */
  seq: number;
  type: EventType;
  role: EventRow['role'];
  content: string;
  tool_calls?: ToolCall[];
  tool_call_results?: ToolCallResult[];
  turn_id: string;
  /** For an event of the caller the current status of its turn; for all others it does not change. */
  status: TurnStatus | 'incomplete';
  finish_reason?: string;
  usage?: Usage;
  error?: EventError;
  created_at: string;
}

/** @param sessionId the id of the session that the caller uses */
export function toEventView(sessionId: string, row: EventRow, turnStatus: TurnStatus): EventView {
  return {
    id: row.id,
    session_id: sessionId,
    seq: Number(row.seq),
    type: row.type,
    role: row.role,
    // Earlier versions stored the message of the error here, too.
    content: row.type === 'turn.failed' ? '' : row.content,
    ...(row.tool_calls && { tool_calls: row.tool_calls }),
    ...(row.tool_call_results && { tool_call_results: row.tool_call_results }),
    turn_id: row.turn_id,
    status: row.status ?? turnStatus,
    ...(row.finish_reason !== null && { finish_reason: row.finish_reason }),
    ...(row.usage && { usage: row.usage }),
    ...(row.error && { error: row.error }),
    created_at: row.created_at.toISOString(),
  };
}
