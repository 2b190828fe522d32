import { type Sql } from '@inference/database';

export type TurnStatus = 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled';

export interface OpenTurn {
  id: string;
  sessionId: string;
  /** Number in the session, from 1. */
  number: number;
  status: TurnStatus;
  /** Number of the last stream event before the current or latest call of the model; 0 before the first call. */
  callPosition: number;
}

export const OPEN_TURN_COLUMNS = `id, session_id AS "sessionId", number, status, call_position AS "callPosition"`;

const OPEN_TURNS = `
  SELECT ${OPEN_TURN_COLUMNS} FROM agent.turns
  WHERE session_id = $1 AND status IN ('queued', 'running', 'requires_action') ORDER BY number`;
const LOCK_SESSION_OF_TURN = `
  SELECT FROM agent.sessions WHERE id = (SELECT session_id FROM agent.turns WHERE id = $1) FOR UPDATE`;

/** Returns the turns of a session that are queued, running or waiting for tools, in their order. */
export async function readOpenTurns(sql: Sql, sessionId: string): Promise<OpenTurn[]> {
  return (await sql.query<OpenTurn>(OPEN_TURNS, [sessionId])).rows;
}

/** Locks the session, whose turns and events change one after another. Returns false if the turn was deleted. */
export async function lockSessionOfTurn(sql: Sql, turnId: string): Promise<boolean> {
  return (await sql.query(LOCK_SESSION_OF_TURN, [turnId])).rowCount === 1;
}
