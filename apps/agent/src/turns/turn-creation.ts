import { newId, type Sql } from '@inference/database';
import { type EventRow, type Idempotency } from '../session-log/session-event';
import { turnStartedEvent } from '../streams/stream-event';
import { type ToolCall } from '../tool-calls/tool.dto';
import { type OpenTurn } from './turn';

/** A message that the caller posts, which begins a turn. */
export interface NewMessage {
  sessionId: string;
  /** The key that pays for the calls of the model. */
  apiKeyId: string;
  /** `assistant` for an answer that the caller brings along. */
  role: 'user' | 'assistant';
  content: string;
  toolCalls: ToolCall[] | undefined;
  /** Size in a model's context. */
  tokens: number;
  idempotency: Idempotency | null;
}

/** One statement for everything: each round trip delays the first token of the answer. */
const INSERT_TURN = {
  name: 'turn-begin',
  text: `
    WITH session AS (
      UPDATE agent.sessions SET last_turn = last_turn + 1, last_seq = last_seq + 1 WHERE id = $1
      RETURNING last_turn, last_seq
    ), turn AS (
      INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner, call_position)
      SELECT $2, $1, last_turn, $3, CASE WHEN $4::text IS NULL THEN 'queued' ELSE 'running' END, $4,
        CASE WHEN $4::text IS NULL THEN 0 ELSE 1 END
      FROM session RETURNING number
    ), started AS (
      INSERT INTO agent.stream_events (turn_id, n, kind, data)
      SELECT $2, 1, 'turn.started', $5 WHERE $4::text IS NOT NULL
    )
    INSERT INTO agent.events
      (id, session_id, seq, turn_id, type, role, content, tool_calls, tokens, idempotency_key, fingerprint, status, after_position)
    SELECT $6, $1, last_seq, $2, 'message', $12, $7, $8, $9, $10, $11,
      CASE WHEN $12 = 'assistant' THEN 'completed' END, 0 FROM session
    RETURNING *, (SELECT number FROM turn) AS number`,
};

/**
 * Stores a message and its turn. The turn is claimed by the replica (see claimTurn), or queued if `replicaId` is null.
 * The transaction has locked the session.
 */
export async function createTurn(
  sql: Sql,
  message: NewMessage,
  replicaId: string | null,
): Promise<{ event: EventRow; turn: OpenTurn }> {
  const { sessionId, apiKeyId, role, content, toolCalls, tokens, idempotency } = message;
  const id = newId('turn');
  const { rows } = await sql.query<EventRow & { number: number }>({
    ...INSERT_TURN,
    values: [
      sessionId,
      id,
      apiKeyId,
      replicaId,
      turnStartedEvent(id).data,
      newId('evt'),
      content,
      toolCalls ? JSON.stringify(toolCalls) : null,
      tokens,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      role,
    ],
  });
  const { number, ...event } = rows[0]!;
  const status = replicaId === null ? 'queued' : 'running';
  return { event, turn: { id, sessionId, number, status, callPosition: replicaId === null ? 0 : 1 } };
}
