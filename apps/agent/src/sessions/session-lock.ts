import { NotFoundException } from '@nestjs/common';
import { newId, type Sql } from '@inference/database';
import { type ToolDefinition } from '../tool-calls/tool.dto';

// Access to sessions by their owner. Each account chooses its own ids: the public id of a session is unique in its account,
// and names no session of another one. Everything that belongs to a session refers to its internal id, which no caller sees.

export interface LockedSession {
  /** The internal id. */
  sessionId: string;
  /** Null for the default model of the service. */
  model: string | null;
  /** The system prompt. */
  system: string | null;
  tools: ToolDefinition[];
}

const FIND = 'SELECT id FROM agent.sessions WHERE public_id = $1 AND account_id = $2';
const LOCKED_COLUMNS = 'id AS "sessionId", model, system, tools';
const LOCK = {
  name: 'session-lock',
  text: `SELECT ${LOCKED_COLUMNS} FROM agent.sessions WHERE public_id = $1 AND account_id = $2 FOR UPDATE`,
};
const CREATE = {
  name: 'session-make',
  text: `
    INSERT INTO agent.sessions (public_id, account_id, id) VALUES ($1, $2, $3)
    ON CONFLICT (account_id, public_id) DO NOTHING RETURNING ${LOCKED_COLUMNS}`,
};

export const noSuchSession = () => new NotFoundException('no such session');

/** Returns the internal id of a session. Throws 404 if the account has no such session. */
export async function requireSession(sql: Sql, publicId: string, accountId: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(FIND, [publicId, accountId]);
  if (!rows[0]) throw noSuchSession();
  return rows[0].id;
}

/** Locks a session until the end of the transaction. Throws 404 if the account has no such session. */
export async function lockSession(sql: Sql, publicId: string, accountId: string): Promise<LockedSession> {
  const { rows } = await sql.query<LockedSession>({ ...LOCK, values: [publicId, accountId] });
  if (!rows[0]) throw noSuchSession();
  return rows[0];
}

/** Locks a session, and creates it if the account has no such session. Throws 404 if it is deleted at the same time. */
export async function lockOrCreateSession(
  sql: Sql,
  publicId: string,
  accountId: string,
): Promise<LockedSession> {
  const values = [publicId, accountId];
  for (const statement of [LOCK, CREATE, LOCK]) {
    const { rows } = await sql.query<LockedSession>({
      ...statement,
      values: statement === CREATE ? [...values, newId('sess')] : values,
    });
    if (rows[0]) return rows[0];
  }
  throw noSuchSession();
}
