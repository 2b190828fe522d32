import { type Sql } from '@inference/database';
import { appendStreamEvent } from '../streams/stream-event-store';
import { type ToolDefinition } from '../tool-calls/tool.dto';
import { type OpenTurn } from './turn';

/** A turn that this replica runs, with everything that its call of the model needs. */
export interface ClaimedTurn extends OpenTurn {
  accountId: string;
  apiKeyId: string;
  /** Null for the default model of the service. */
  model: string | null;
  /** The system prompt. */
  system: string | null;
  tools: ToolDefinition[];
}

/** Only the first queued turn of the session, and only while no other turn runs or waits for tools. */
const CLAIM = `
  UPDATE agent.turns t SET status = 'running', runner = $2,
    call_position = (SELECT coalesce(max(n), 0) FROM agent.stream_events WHERE turn_id = $1)
  FROM agent.sessions s
  WHERE t.id = $1 AND t.status = 'queued' AND s.id = t.session_id AND NOT EXISTS (
    SELECT FROM agent.turns o WHERE o.session_id = t.session_id
      AND (o.status IN ('running', 'requires_action') OR o.status = 'queued' AND o.number < t.number)
  )
  RETURNING t.id, t.session_id AS "sessionId", t.number, t.status, t.call_position AS "callPosition",
    s.account_id AS "accountId", t.api_key_id AS "apiKeyId", s.model, s.system, s.tools`;
const SET_CALL_POSITION = 'UPDATE agent.turns SET call_position = $2 WHERE id = $1';
/** The API key of the request that continues a turn pays for the continuation. */
const CONTINUE = `
  UPDATE agent.turns SET status = 'queued', api_key_id = $2 WHERE id = $1`;

/**
 * Makes this replica the one that runs a queued turn; returns null if the turn is not to run now. The replica that has claimed a
 * turn calls the model for it once: if the process dies, the call is not repeated, since it may have been billed.
 * The transaction has locked the session.
 */
export async function claimTurn(sql: Sql, turnId: string, replicaId: string): Promise<ClaimedTurn | null> {
  const { rows } = await sql.query<ClaimedTurn>(CLAIM, [turnId, replicaId]);
  const turn = rows[0];
  if (!turn || turn.callPosition > 0) return turn ?? null;
  const { n } = await appendStreamEvent(sql, turn.id, 'turn.started', { turn_id: turn.id });
  await sql.query(SET_CALL_POSITION, [turn.id, n]);
  return { ...turn, callPosition: n };
}

/** Puts a turn whose tool calls are all answered back into the queue. */
export async function continueTurn(sql: Sql, turnId: string, apiKeyId: string): Promise<void> {
  await sql.query(CONTINUE, [turnId, apiKeyId]);
}
