import { type Sql } from '@inference/database';
import { type Frame } from '../frames/frame';
import { appendFrame } from '../frames/frame-store';
import { type ToolDefinition } from '../sessions/tool-shapes';
import { type OpenTurn } from './turn-log';

/** A turn that this process runs, and all that its call of the model needs. */
export interface ClaimedTurn extends OpenTurn {
  accountId: string;
  apiKeyId: string;
  /** Null: the service's default. */
  model: string | null;
  system: string | null;
  tools: ToolDefinition[];
}

/** The first in the session's order, and only while no other one runs or waits for tools. */
const CLAIM = `
  UPDATE agent.turns t SET status = 'running', runner = $2,
    call_frame = (SELECT coalesce(max(n), 0) FROM agent.frames WHERE turn_id = $1)
  FROM agent.sessions s
  WHERE t.id = $1 AND t.status = 'queued' AND s.id = t.session_id AND NOT EXISTS (
    SELECT FROM agent.turns o WHERE o.session_id = t.session_id
      AND (o.status IN ('running', 'requires_action') OR o.status = 'queued' AND o.number < t.number)
  )
  RETURNING t.id, t.session_id AS "sessionId", t.number, t.status, t.call_frame AS "callFrame",
    s.account_id AS "accountId", t.api_key_id AS "apiKeyId", s.model, s.system, s.tools`;
const PASS_STARTED = 'UPDATE agent.turns SET call_frame = $2 WHERE id = $1';
const LOCK_SESSION_OF = `
  SELECT FROM agent.sessions WHERE id = (SELECT session_id FROM agent.turns WHERE id = $1) FOR UPDATE`;

/**
 * Makes this process the one that runs a queued turn; null when it is not to run now. Whoever has claimed a turn calls
 * the model for it, once: should the process die, nobody repeats that, since it may be paid for.
 * Inside a transaction that has locked the session.
 */
export async function claimTurn(sql: Sql, turnId: string, replicaId: string): Promise<ClaimedTurn | null> {
  const { rows } = await sql.query<ClaimedTurn>(CLAIM, [turnId, replicaId]);
  const turn = rows[0];
  if (!turn || turn.callFrame > 0) return turn ?? null;
  const { n }: Frame = await appendFrame(sql, turn.id, 'turn.started', { turn_id: turn.id });
  await sql.query(PASS_STARTED, [turn.id, n]);
  return { ...turn, callFrame: n };
}

/** False when the turn was deleted. */
export async function lockSessionOf(sql: Sql, turnId: string): Promise<boolean> {
  return (await sql.query(LOCK_SESSION_OF, [turnId])).rowCount === 1;
}
