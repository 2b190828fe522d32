import { type Usage } from '@inference/model-calls';
import { type ToolCall, type ToolCallResult } from '../tool-calls/tool.dto';

export type EventType = 'message' | 'tool_calls' | 'tool_result' | 'turn.failed' | 'turn.cancelled';

export interface EventError {
  /** Does not change between versions; clients branch on it. */
  code: string;
  message: string;
  retryable: boolean;
}

/** One entry of a session's log, as it is stored. */
export interface EventRow {
  id: string;
  /** Number in the session, from 1, without gaps. */
  seq: bigint;
  turn_id: string;
  type: EventType;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls: ToolCall[] | null;
  tool_call_results: ToolCallResult[] | null;
  /** Null for an event of the caller: it has the status of its turn. */
  status: 'completed' | 'incomplete' | 'failed' | 'cancelled' | null;
  finish_reason: string | null;
  usage: Usage | null;
  error: EventError | null;
  created_at: Date;
}

/** An idempotency key of the caller and the hash of the request that used it. */
export interface Idempotency {
  key: string;
  fingerprint: Buffer;
}

export const EVENT_COLUMNS = `e.id, e.seq, e.turn_id, e.type, e.role, e.content, e.tool_calls,
  e.tool_call_results, e.status, e.finish_reason, e.usage, e.error, e.created_at`;
