import { type Executor, type Transaction } from '@inference/database';
import { RefreshToken } from './refresh-token.entity';

/**
 * How long the value before the present one is answered, for a client to which the answer was lost. Chosen: such a client asks again
 * within seconds. Twice as long doubles the time in which a copy goes unnoticed; half is short for a page on a bad network.
 */
const GRACE = "interval '10 seconds'";

/**
 * Locks the session, so that refreshes of it run one after another on all consoles and it does not end meanwhile. The row of the
 * token is read by a later statement: this one may have waited, and then its snapshot is too old.
 */
const LOCK_SESSION = `
  SELECT s.id, s.account_id AS "accountId", a.email, a.suspended_at IS NOT NULL AS "isSuspended"
  FROM accounts.refresh_tokens t
  JOIN accounts.sessions s ON s.id = t.session_id
  JOIN accounts.accounts a ON a.id = s.account_id
  WHERE t.series_hash = $1 AND s.ended_at IS NULL AND s.expires_at > now()
  FOR NO KEY UPDATE OF s`;
const READ_TOKEN = `
  SELECT value_hash AS "valueHash", former_hash AS "formerHash", successor_salt AS "successorSalt",
    coalesce(replaced_at > statement_timestamp() - ${GRACE}, false) AS "isInGrace",
    date_trunc('second', statement_timestamp()) AS now
  FROM accounts.refresh_tokens WHERE session_id = $1`;
const REPLACE_VALUE = `
  UPDATE accounts.refresh_tokens
  SET former_hash = value_hash, value_hash = $2, successor_salt = $3, replaced_at = statement_timestamp(),
    used_at = statement_timestamp(), address = $4, user_agent = $5
  WHERE session_id = $1`;

/** A session that is to be refreshed, with its account. */
export interface RefreshableSession {
  id: string;
  accountId: string;
  email: string;
  isSuspended: boolean;
}

export interface StoredToken extends Pick<RefreshToken, 'valueHash' | 'formerHash' | 'successorSalt'> {
  /** Whether the present value has replaced the former one so recently that both are answered. */
  isInGrace: boolean;
  /** The time of the database, in whole seconds. */
  now: Date;
}

export async function insertRefreshToken(
  executor: Executor,
  token: Pick<RefreshToken, 'sessionId' | 'seriesHash' | 'valueHash' | 'address' | 'userAgent'>,
): Promise<void> {
  await executor.repository(RefreshToken).insert(token);
}

/** Returns null if the series is unknown or its session is not live. Lock order: session, refresh token. */
export async function lockSessionOfSeries(
  transaction: Transaction,
  seriesHash: Buffer,
): Promise<RefreshableSession | null> {
  const { rows } = await transaction.query<RefreshableSession>(LOCK_SESSION, [seriesHash]);
  return rows[0] ?? null;
}

/** Call it after `lockSessionOfSeries`. */
export async function readRefreshToken(transaction: Transaction, sessionId: string): Promise<StoredToken> {
  const { rows } = await transaction.query<StoredToken>(READ_TOKEN, [sessionId]);
  return rows[0]!;
}

export async function replaceRefreshToken(
  transaction: Transaction,
  {
    sessionId,
    valueHash,
    successorSalt,
    address,
    userAgent,
  }: Pick<RefreshToken, 'sessionId' | 'valueHash' | 'successorSalt' | 'address' | 'userAgent'>,
): Promise<void> {
  await transaction.query(REPLACE_VALUE, [sessionId, valueHash, successorSalt, address, userAgent]);
}
