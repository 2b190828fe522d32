import { type Executor, type Transaction } from '@inference/database';
import { type SecondFactorProof, Session } from '@inference/guards';
import { IsNull, Not, Raw } from 'typeorm';

export interface NewSession extends Pick<Session, 'id' | 'accountId' | 'secondFactor'> {
  /** The version that the account's credentials had when they were checked. */
  credentialsVersion: number;
  /** Life of the session until its first refresh. */
  ttlSeconds: number;
}

/**
 * Begins with a whole second, like the token, so that a session lives at least as long as its token. The lock of the account orders
 * this statement and a concurrent change of the credentials: if the change comes first, no row is inserted; if it comes
 * second, it also ends this session.
 */
const INSERT = `
  INSERT INTO accounts.sessions (id, account_id, expires_at, second_factor)
  SELECT $1, id, date_trunc('second', now()) + make_interval(secs => $3), $5 FROM accounts.accounts
  WHERE id = $2 AND credentials_version = $4 FOR SHARE RETURNING date_trunc('second', now()) AS "openedAt"`;
/** Rows are kept for a day after their expiry. */
const DELETE_EXPIRED = `
  DELETE FROM accounts.sessions WHERE id IN (
    SELECT id FROM accounts.sessions WHERE expires_at < now() - interval '1 day' LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const SET_SECOND_FACTOR = `
  UPDATE accounts.sessions SET second_factor = $2 WHERE id = $1 RETURNING pg_notify('credentials', 'session:' || id)`;

const isLive = () => ({ endedAt: IsNull(), expiresAt: Raw((column) => `${column} > now()`) });

/** Returns when the session begins, in whole seconds, or null if the account's credentials do not have that version any more. */
export async function insertSession(executor: Executor, session: NewSession): Promise<Date | null> {
  const { id, accountId, ttlSeconds, credentialsVersion, secondFactor } = session;
  const { rows } = await executor.query<{ openedAt: Date }>(INSERT, [
    id,
    accountId,
    ttlSeconds,
    credentialsVersion,
    secondFactor,
  ]);
  return rows[0]?.openedAt ?? null;
}

/** Whether the session was opened within the last ten minutes. */
export function isRecentSession(executor: Executor, id: string): Promise<boolean> {
  const createdAt = Raw((column) => `${column} > now() - interval '10 minutes'`);
  return executor.repository(Session).existsBy({ id, createdAt });
}

/**
 * Locks a session so that it cannot end before the transaction does, and returns whether it is live. It waits for a
 * transaction that is ending the session. Lock order: account, session, identity.
 */
export async function lockLiveSession(
  transaction: Transaction,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<boolean> {
  const session = await transaction.repository(Session).findOne({
    select: { id: true },
    where: { id: sessionId, accountId, ...isLive() },
    lock: { mode: 'pessimistic_read' },
  });
  return session !== null;
}

/** Stores what has proved the second factor of a session, and tells all services. Null: the account has none any more. */
export async function setSecondFactor(
  transaction: Transaction,
  sessionId: string,
  secondFactor: SecondFactorProof | null,
): Promise<void> {
  await transaction.query(SET_SECOND_FACTOR, [sessionId, secondFactor]);
}

export async function endSession(executor: Executor, id: string): Promise<void> {
  await executor.repository(Session).update({ id, endedAt: IsNull() }, { endedAt: () => 'now()' });
}

/** Ends a session of an account. Returns false if the account has no such live session. */
export async function endSessionOf(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const { affected } = await executor
    .repository(Session)
    .update({ id, accountId, ...isLive() }, { endedAt: () => 'now()' });
  return affected === 1;
}

/** Ends all sessions of an account except `keptSessionId`, and returns how many; null keeps none. */
export async function endOtherSessions(
  executor: Executor,
  accountId: string,
  keptSessionId: string | null,
): Promise<number> {
  const others = keptSessionId === null ? {} : { id: Not(keptSessionId) };
  const { affected } = await executor
    .repository(Session)
    .update({ accountId, ...others, ...isLive() }, { endedAt: () => 'now()' });
  return affected ?? 0;
}

/** Lets a session live for `ttlSeconds` from now. */
export async function extendSession(transaction: Transaction, id: string, ttlSeconds: number): Promise<void> {
  await transaction
    .repository(Session)
    .createQueryBuilder()
    .update({ expiresAt: () => "date_trunc('second', now()) + make_interval(secs => :ttlSeconds)" })
    .where({ id })
    .setParameters({ ttlSeconds })
    .execute();
}

/** Deletes at most `count` sessions and returns how many. */
export async function deleteExpiredSessions(executor: Executor, count: number): Promise<number> {
  return (await executor.query(DELETE_EXPIRED, [count])).rowCount ?? 0;
}
