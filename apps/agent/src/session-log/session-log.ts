import { newId, type Sql } from '@inference/database';
import { type Usage } from '@inference/model-calls';
import { estimateTokens } from '@inference/tokens';
import { markAnswered } from '../tool-calls/tool-calls';
import { type ToolCall, type ToolCallResult } from '../tool-calls/tool.dto';
import { type EventError, type EventRow, type EventType, type Idempotency } from './session-event';

export interface NewEvent {
  sessionId: string;
  turnId: string;
  type: EventType;
  role: EventRow['role'];
  content: string;
  toolCalls?: ToolCall[];
  toolCallResults?: ToolCallResult[];
  status?: EventRow['status'];
  finishReason?: string | null;
  usage?: Usage | null;
  error?: EventError;
  idempotency?: Idempotency | null;
  /** Size in a model's context; estimated from the texts by default. */
  tokens?: number;
}

/** `after_frame` is the number of the last stream event of the turn before the event. */
export type StoredEvent = EventRow & { after_frame: number };

/** Tokens that a chat template adds to each message, estimated. */
export const MESSAGE_OVERHEAD_TOKENS = 8;

const INSERT = `
  WITH session AS (UPDATE agent.sessions SET last_seq = last_seq + 1 WHERE id = $2 RETURNING last_seq)
  INSERT INTO agent.events AS e (id, session_id, seq, turn_id, type, role, content, tool_calls, tool_call_results, status,
    finish_reason, usage, error, tokens, idempotency_key, fingerprint, after_frame)
  SELECT $1, $2, last_seq, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
    (SELECT coalesce(max(n), 0) FROM agent.frames WHERE turn_id = $3)
  FROM session
  RETURNING *`;
const RELEASE_IDEMPOTENCY_KEY =
  'UPDATE agent.events SET idempotency_key = NULL, fingerprint = NULL WHERE id = $1';

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

/** Appends an event to a session that the transaction has locked. */
export async function appendEvent(sql: Sql, event: NewEvent): Promise<StoredEvent> {
  const { toolCalls, toolCallResults, idempotency } = event;
  const calls = json(toolCalls);
  const results = json(toolCallResults);
  const { rows } = await sql.query<StoredEvent>(INSERT, [
    newId('evt'),
    event.sessionId,
    event.turnId,
    event.type,
    event.role,
    event.content,
    calls,
    results,
    event.status ?? null,
    event.finishReason ?? null,
    json(event.usage),
    json(event.error),
    event.tokens ?? estimateEventTokens(event.content, calls, results),
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
  ]);
  return rows[0]!;
}

/** Appends the results of tool calls and marks the calls as answered. */
export async function appendToolResults(
  sql: Sql,
  event: NewEvent & { toolCallResults: ToolCallResult[] },
): Promise<StoredEvent> {
  const row = await appendEvent(sql, event);
  const callIds = event.toolCallResults.map((result) => result.tool_call_id);
  await markAnswered(sql, event.sessionId, callIds, row.id);
  return row;
}

/** Lets the caller send the same request again under the idempotency key of this event. */
export async function releaseIdempotencyKey(sql: Sql, eventId: string): Promise<void> {
  await sql.query(RELEASE_IDEMPOTENCY_KEY, [eventId]);
}

/** Estimates the tokens that an event with these texts takes of a model's context. */
export function estimateEventTokens(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text ? estimateTokens(text) : 0), MESSAGE_OVERHEAD_TOKENS);
}
