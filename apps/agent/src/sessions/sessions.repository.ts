import {
  type Executor,
  type Position,
  readByTime,
  type TimeOrder,
  type Transaction,
} from '@inference/database';
import { MoreThan } from 'typeorm';
import { AgentSession } from '../tables/agent-session.entity';
import { type SessionScope } from '../session-scope';

export type NewSession = Omit<AgentSession, 'lastSeq' | 'lastTurn' | 'createdAt'>;

/** A session without what only its turns need. */
export type SessionDetails = Omit<AgentSession, 'lastTurn' | 'apiKeyId'>;

export type LockedSession = Pick<AgentSession, 'id' | 'model' | 'system' | 'tools'>;

/** `isNew` if the transaction has inserted it. */
export type LockedOrInsertedSession = LockedSession & { isNew: boolean };

const INSERT = `
  INSERT INTO agent.sessions (id, public_id, account_id, model, system, tools, metadata, api_key_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (account_id, public_id) DO NOTHING RETURNING last_seq AS "lastSeq", created_at AS "createdAt"`;
const IN_SCOPE = 'public_id = $1 AND account_id = $2 AND ($3::text IS NULL OR api_key_id = $3)';
const LOCKED_COLUMNS = 'id, model, system, tools';
const LOCK = {
  name: 'session-lock',
  text: `SELECT ${LOCKED_COLUMNS} FROM agent.sessions WHERE ${IN_SCOPE} FOR UPDATE`,
};
/**
 * A key that is not restricted does not continue a session that a restricted key has made: ids can be guessed, and whoever made the
 * session has set its prompt and reads its events.
 */
const MAY_POST = `${IN_SCOPE} AND ($3::text IS NOT NULL OR $5::text IS NULL OR api_key_id IS NOT DISTINCT FROM $5
  OR NOT EXISTS (SELECT FROM accounts.api_keys k
    WHERE k.id = api_key_id AND (k.spend_limit_picos IS NOT NULL OR k.allowed_models IS NOT NULL)))`;
/** One statement for both: each round trip delays the first token of the answer. */
const LOCK_OR_INSERT = {
  name: 'session-lock-or-insert',
  text: `
    WITH locked AS (
      SELECT ${LOCKED_COLUMNS} FROM agent.sessions WHERE ${MAY_POST} FOR UPDATE
    ), inserted AS (
      INSERT INTO agent.sessions (public_id, account_id, id, api_key_id)
      SELECT $1, $2, $4, $5 WHERE NOT EXISTS (SELECT FROM locked)
      ON CONFLICT (account_id, public_id) DO NOTHING RETURNING ${LOCKED_COLUMNS}
    )
    SELECT *, false AS "isNew" FROM locked UNION ALL SELECT *, true FROM inserted`,
};

/** Returns undefined if the account has a session with that public id. */
export async function insertSession(
  executor: Executor,
  session: NewSession,
): Promise<SessionDetails | undefined> {
  const { id, publicId, accountId, model, system, tools, metadata, apiKeyId } = session;
  const texts = [JSON.stringify(tools), JSON.stringify(metadata)];
  const values = [id, publicId, accountId, model, system, ...texts, apiKeyId];
  const { rows } = await executor.query<Pick<AgentSession, 'lastSeq' | 'createdAt'>>(INSERT, values);
  return rows[0] && { ...session, ...rows[0] };
}

/** The condition of a scope for TypeORM. */
const isInScope = ({ accountId, madeByKeyId }: SessionScope) => ({
  accountId,
  ...(madeByKeyId !== null && { apiKeyId: madeByKeyId }),
});

export interface SessionChoice {
  /** A part of the id or of the title, in any case. */
  text?: string | undefined;
  order: TimeOrder;
}

/** The names by which a person finds a session, each in a line of its own, so that no text is found across two of them. */
const NAMES = `concat_ws(E'\\n', session.public_id, session.metadata ->> 'title')`;
/** The case of all letters, whatever the locale of the database. */
const lowered = (text: string) => `lower((${text}) COLLATE pg_c_utf8)`;

/** Returns a page of the sessions by the time when they were created. */
export function listSessions(
  executor: Executor,
  scope: SessionScope,
  { text, order }: SessionChoice,
  after: Position | null,
  count: number,
) {
  const query = executor.repository(AgentSession).createQueryBuilder('session').where(isInScope(scope));
  if (text !== undefined) query.andWhere(`strpos(${lowered(NAMES)}, ${lowered(':text')}) > 0`, { text });
  return readByTime(query, 'createdAt', order, after, count);
}

/** Replaces the metadata of a session that the transaction has locked. */
export async function setMetadata(
  transaction: Transaction,
  id: string,
  metadata: Record<string, string>,
): Promise<AgentSession> {
  const sessions = transaction.repository(AgentSession);
  await sessions.update({ id }, { metadata });
  return sessions.findOneByOrFail({ id });
}

export function findSession(
  executor: Executor,
  publicId: string,
  scope: SessionScope,
): Promise<AgentSession | null> {
  return executor.repository(AgentSession).findOneBy({ publicId, ...isInScope(scope) });
}

/** Returns the internal id of a session. */
export async function findSessionId(
  executor: Executor,
  publicId: string,
  scope: SessionScope,
): Promise<string | undefined> {
  const session = await executor
    .repository(AgentSession)
    .findOne({ select: { id: true }, where: { publicId, ...isInScope(scope) } });
  return session?.id;
}

/** Whether the session has events after that one. */
export function hasEventsAfter(executor: Executor, id: string, seq: bigint): Promise<boolean> {
  return executor.repository(AgentSession).existsBy({ id, lastSeq: MoreThan(seq) });
}

/** Locks a session until the end of the transaction. */
export async function lockSession(
  transaction: Transaction,
  publicId: string,
  { accountId, madeByKeyId }: SessionScope,
): Promise<LockedSession | undefined> {
  const values = [publicId, accountId, madeByKeyId];
  return (await transaction.query<LockedSession>({ ...LOCK, values })).rows[0];
}

/**
 * Locks a session until the end of the transaction, and inserts it without settings if the account has none of that id. Returns
 * undefined if another transaction inserts it at the same time, or the caller may not post to it.
 */
export async function lockOrInsertSession(
  transaction: Transaction,
  { id, publicId, apiKeyId }: Pick<AgentSession, 'id' | 'publicId' | 'apiKeyId'>,
  { accountId, madeByKeyId }: SessionScope,
): Promise<LockedOrInsertedSession | undefined> {
  const values = [publicId, accountId, madeByKeyId, id, apiKeyId];
  return (await transaction.query<LockedOrInsertedSession>({ ...LOCK_OR_INSERT, values })).rows[0];
}

/** Deletes a session with its turns and events. */
export async function deleteSession(transaction: Transaction, id: string): Promise<void> {
  await transaction.repository(AgentSession).delete({ id });
}
