import { type Executor } from '@inference/database';
import { LoginAttempt } from './login-attempt.entity';

const UNKNOWN_NETWORKS = 'unknown_networks';

/**
 * Counts a login attempt for its account and for its network: an IPv4 address or an IPv6 /64 prefix. A network is known to an
 * account after a login or password reset from it within 30 days. Each known network has a counter of its own, and all other
 * networks share one (UNKNOWN_NETWORKS), so attackers cannot lock the owner out.
 */
const COUNT_ATTEMPT = `
  WITH attempt AS MATERIALIZED (SELECT $1 || ' ' || $2 AS secret, accounts.address_network($3) AS network),
  subjects AS MATERIALIZED (
    SELECT 'address ' || network AS address, secret || ' ' || CASE WHEN EXISTS (
      SELECT FROM accounts.security_events
      WHERE account_id = $2 AND accounts.address_network(address) = network AND type IN ('session.opened', 'password.reset')
        AND created_at > now() - interval '30 days') THEN network ELSE '${UNKNOWN_NETWORKS}' END AS account
    FROM attempt)
  SELECT s.account, s.address, c.wait_seconds AS "waitSeconds", c.exceeded, c.counted_at::text AS "countedAt"
  FROM subjects s, accounts.count_login_attempt(ARRAY[s.account, s.address], $4, $5) c`;
const RECORD_SUCCESS = 'SELECT accounts.record_login_success($1, $2, $3)';
const DELETE_EXPIRED = 'SELECT accounts.delete_expired_login_attempts($1) AS deleted';

/** What may be tried wrongly. Each kind is counted by itself. */
export type AttemptKind = 'password' | 'second_factor';

/** Limits for the account and for the address, in this order. */
export interface AttemptLimits {
  /** Failures before delays begin. */
  free: number[];
  /** One failure is forgiven after this time. */
  forgiveSeconds: number[];
}

export interface CountedAttempt {
  /** Under what the attempt was counted for the account. */
  account: string;
  /** Under what it was counted for the address; null when the address is unknown. */
  address: string | null;
  /** 0 for an admitted attempt. */
  waitSeconds: number;
  /** The limit that was exceeded; null for an admitted attempt. */
  exceeded: number | null;
  /** As text, because a Date would lose its microseconds. */
  countedAt: string;
}

/** @param accountId of an account, or a text that stands for one that does not exist */
export async function countLoginAttempt(
  executor: Executor,
  { kind, accountId, address }: { kind: AttemptKind; accountId: string; address: string | null },
  { free, forgiveSeconds }: AttemptLimits,
): Promise<CountedAttempt> {
  const { rows } = await executor.query<CountedAttempt>(COUNT_ATTEMPT, [
    kind,
    accountId,
    address,
    free,
    forgiveSeconds,
  ]);
  return rows[0]!;
}

/**
 * Subtracts the attempt from the count of its address, and deletes the account's count that it was added to: that of its
 * network, or the shared one of unknown networks.
 */
export async function recordLoginSuccess(
  executor: Executor,
  { account, address, countedAt }: CountedAttempt,
): Promise<void> {
  await executor.query(RECORD_SUCCESS, [account, address, countedAt]);
}

/** Deletes the count of failed passwords from unknown networks. */
export async function deleteUnknownNetworksCount(executor: Executor, accountId: string): Promise<void> {
  await executor.repository(LoginAttempt).delete({ subject: `password ${accountId} ${UNKNOWN_NETWORKS}` });
}

/** Deletes at most `count` rows that no longer count against anybody and returns how many. */
export async function deleteExpiredLoginAttempts(executor: Executor, count: number): Promise<bigint> {
  const { rows } = await executor.query<{ deleted: bigint }>(DELETE_EXPIRED, [count]);
  return rows[0]!.deleted;
}
