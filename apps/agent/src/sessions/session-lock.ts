import { NotFoundException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type ToolDefinition } from '../tool-calls/tool.dto';

// Access to sessions by their owner. A session of another account is answered like one that does not exist.

export interface LockedSession {
  /** Null for the default model of the service. */
  model: string | null;
  /** The system prompt. */
  system: string | null;
  tools: ToolDefinition[];
}

const OWNED = 'SELECT FROM agent.sessions WHERE id = $1 AND account_id = $2';
const LOCK = {
  name: 'session-lock',
  text: 'SELECT model, system, tools FROM agent.sessions WHERE id = $1 AND account_id = $2 FOR UPDATE',
};
const CREATE = {
  name: 'session-make',
  text: `
    INSERT INTO agent.sessions (id, account_id) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING model, system, tools`,
};

export const noSuchSession = () => new NotFoundException('no such session');

/** Throws 404 if the account has no such session. */
export async function requireSession(sql: Sql, sessionId: string, accountId: string): Promise<void> {
  if ((await sql.query(OWNED, [sessionId, accountId])).rowCount === 0) throw noSuchSession();
}

/** Locks a session until the end of the transaction. Throws 404 if the account has no such session. */
export async function lockSession(sql: Sql, sessionId: string, accountId: string): Promise<LockedSession> {
  const { rows } = await sql.query<LockedSession>({ ...LOCK, values: [sessionId, accountId] });
  if (!rows[0]) throw noSuchSession();
  return rows[0];
}

/** Locks a session, and creates it if no account uses the id. Throws 404 for a session of another account. */
export async function lockOrCreateSession(
  sql: Sql,
  sessionId: string,
  accountId: string,
): Promise<LockedSession> {
  const values = [sessionId, accountId];
  for (const statement of [LOCK, CREATE, LOCK]) {
    const { rows } = await sql.query<LockedSession>({ ...statement, values });
    if (rows[0]) return rows[0];
  }
  throw noSuchSession();
}
