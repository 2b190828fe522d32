import { newId, type Sql } from '@inference/database';
import { type EventRow } from '../events/event';
import { startedFrame } from '../frames/frame';
import { type ToolCall } from '../sessions/tool-shapes';
import { type OpenTurn } from './turn-log';

export interface NewMessage {
  sessionId: string;
  /** On whose behalf the model is called. */
  apiKeyId: string;
  content: string;
  toolCalls: ToolCall[] | undefined;
  /** What it takes of a model's context. */
  tokens: number;
  idempotency: { key: string; fingerprint: Buffer } | null;
}

/** All at once: between a caller and the first word of the answer every round trip counts. */
const BEGIN = {
  name: 'turn-begin',
  text: `
    WITH session AS (
      UPDATE agent.sessions SET last_turn = last_turn + 1, last_seq = last_seq + 1 WHERE id = $1
      RETURNING last_turn, last_seq
    ), turn AS (
      INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner, call_frame)
      SELECT $2, $1, last_turn, $3, CASE WHEN $4::text IS NULL THEN 'queued' ELSE 'running' END, $4,
        CASE WHEN $4::text IS NULL THEN 0 ELSE 1 END
      FROM session RETURNING number
    ), started AS (
      INSERT INTO agent.frames (turn_id, n, kind, data)
      SELECT $2, 1, 'turn.started', $5 WHERE $4::text IS NOT NULL
    )
    INSERT INTO agent.events
      (id, session_id, seq, turn_id, type, role, content, tool_calls, tokens, idempotency_key, fingerprint, after_frame)
    SELECT $6, $1, last_seq, $2, 'message', 'user', $7, $8, $9, $10, $11, 0 FROM session
    RETURNING *, (SELECT number FROM turn) AS number`,
};

/**
 * A message begins a turn: it waits, or this process has claimed it (see claimTurn) when `runner` names it. Inside a
 * transaction that has locked the session.
 */
export async function beginTurn(
  sql: Sql,
  message: NewMessage,
  runner: string | null,
): Promise<{ event: EventRow; turn: OpenTurn }> {
  const { sessionId, apiKeyId, content, toolCalls, tokens, idempotency } = message;
  const id = newId('turn');
  const { rows } = await sql.query<EventRow & { number: number }>({
    ...BEGIN,
    values: [
      sessionId,
      id,
      apiKeyId,
      runner,
      startedFrame(id).data,
      newId('evt'),
      content,
      toolCalls ? JSON.stringify(toolCalls) : null,
      tokens,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
    ],
  });
  const { number, ...event } = rows[0]!;
  const status = runner === null ? 'queued' : 'running';
  return { event, turn: { id, sessionId, number, status, callFrame: runner === null ? 0 : 1 } };
}
