import { newId, type Sql } from '@inference/database';
import { type ToolCall } from './tool.dto';

// The calls of tools that the models of a session have made. Callers hold the lock of the session.

export interface StoredCall {
  id: string;
  turnId: string;
  turnNumber: number;
  /** A result is stored, from the caller or because the turn was ended. */
  answered: boolean;
}

const INSERT = `
  INSERT INTO agent.tool_calls (session_id, id, turn_id, position, call)
  SELECT $1, call ->> 'id', $2, position, call FROM json_array_elements($3::json) WITH ORDINALITY AS c(call, position)`;
const USED_IDS = 'SELECT id FROM agent.tool_calls WHERE session_id = $1 AND id = ANY ($2)';
const PENDING = `
  SELECT call FROM agent.tool_calls WHERE turn_id = $1 AND answered_by IS NULL ORDER BY position`;
const MARK_ANSWERED = `
  UPDATE agent.tool_calls SET answered_by = $3 WHERE session_id = $1 AND id = ANY ($2) AND answered_by IS NULL`;
const FIND = `
  SELECT c.id, c.turn_id AS "turnId", c.answered_by IS NOT NULL AS answered, t.number AS "turnNumber"
  FROM agent.tool_calls c JOIN agent.turns t ON t.id = c.turn_id WHERE c.session_id = $1 AND c.id = ANY ($2)`;

export async function insertCalls(
  sql: Sql,
  sessionId: string,
  turnId: string,
  calls: ToolCall[],
): Promise<void> {
  await sql.query(INSERT, [sessionId, turnId, JSON.stringify(calls)]);
}

/** Replaces ids that the session already uses: some models number their calls anew in each answer. */
export async function withUniqueIds(sql: Sql, sessionId: string, calls: ToolCall[]): Promise<ToolCall[]> {
  if (calls.length === 0) return calls;
  const { rows } = await sql.query<{ id: string }>(USED_IDS, [sessionId, calls.map(({ id }) => id)]);
  const used = new Set(rows.map(({ id }) => id));
  return calls.map((call) => {
    const id = used.has(call.id) ? newId('call') : call.id;
    used.add(id);
    return { ...call, id };
  });
}

/** Returns the calls of a turn that have no result yet, in the model's order. */
export async function readPendingCalls(sql: Sql, turnId: string): Promise<ToolCall[]> {
  const { rows } = await sql.query<{ call: ToolCall }>(PENDING, [turnId]);
  return rows.map(({ call }) => call);
}

/** @param eventId the event that holds the results */
export async function markAnswered(
  sql: Sql,
  sessionId: string,
  callIds: string[],
  eventId: string,
): Promise<void> {
  await sql.query(MARK_ANSWERED, [sessionId, callIds, eventId]);
}

/** Returns those of the calls that exist in the session. */
export async function findCalls(sql: Sql, sessionId: string, callIds: string[]): Promise<StoredCall[]> {
  return (await sql.query<StoredCall>(FIND, [sessionId, callIds])).rows;
}
