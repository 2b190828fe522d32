import { type Usage } from '@inference/model-calls';
import { type ToolCall, type ToolCallResult } from '../sessions/tool-shapes';

export type EventType = 'message' | 'tool_calls' | 'tool_result' | 'turn.failed' | 'turn.cancelled';
export type TurnStatus = 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled';

export interface EventError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface EventRow {
  id: string;
  session_id: string;
  seq: bigint;
  turn_id: string;
  type: EventType;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls: ToolCall[] | null;
  tool_call_results: ToolCallResult[] | null;
  status: 'completed' | 'incomplete' | 'failed' | 'cancelled' | null;
  finish_reason: string | null;
  usage: Usage | null;
  error: EventError | null;
  created_at: Date;
}

/**
 * An event as clients see it (spec: Agent event). `status` is that of the turn as long as the event is the caller's, and
 * does not change otherwise.
 */
export interface EventView {
  id: string;
  session_id: string;
  /** In the session, from 1, without gaps. */
  seq: number;
  type: EventType;
  role: EventRow['role'];
  content: string;
  tool_calls?: ToolCall[];
  tool_call_results?: ToolCallResult[];
  turn_id: string;
  status: TurnStatus | 'incomplete';
  finish_reason?: string;
  usage?: Usage;
  error?: EventError;
  created_at: string;
}

export const EVENT_COLUMNS = `e.id, e.session_id, e.seq, e.turn_id, e.type, e.role, e.content, e.tool_calls,
  e.tool_call_results, e.status, e.finish_reason, e.usage, e.error, e.created_at`;

export function viewOf(row: EventRow, turnStatus: TurnStatus): EventView {
  return {
    id: row.id,
    session_id: row.session_id,
    seq: Number(row.seq),
    type: row.type,
    role: row.role,
    content: row.content,
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
