import { type Executor, type Transaction } from '@inference/database';
import { type StaffRole } from '@inference/guards';

export interface StaffMember {
  id: string;
  email: string;
  role: StaffRole;
  since: Date;
  givenBy: string | null;
  provider: string | null;
  secondFactor: 'totp' | 'provider' | null;
  lastUsedAt: Date | null;
}

/** The index of staff has few rows, and that of events finds those of one account. Sessions are deleted a day after their expiry. */
const LIST = `
  SELECT a.id, a.email, a.role, coalesce(given.created_at, a.created_at) AS since, giver.email AS "givenBy",
    given.details->>'provider' AS provider, latest."usedAt" AS "lastUsedAt",
    CASE WHEN EXISTS (SELECT FROM accounts.totp t WHERE t.account_id = a.id AND t.enabled_at IS NOT NULL) THEN 'totp'
      WHEN latest."secondFactor" = 'provider' THEN 'provider' END AS "secondFactor"
  FROM accounts.accounts a
  LEFT JOIN LATERAL (
    SELECT e.created_at, e.actor_id, e.details FROM accounts.security_events e
    WHERE e.account_id = a.id AND e.type = 'account.role_changed' ORDER BY e.created_at DESC, e.id DESC LIMIT 1) given ON true
  LEFT JOIN accounts.accounts giver ON giver.id = given.actor_id
  LEFT JOIN LATERAL (
    SELECT coalesce(t.used_at, s.created_at) AS "usedAt", s.second_factor AS "secondFactor"
    FROM accounts.sessions s LEFT JOIN accounts.refresh_tokens t ON t.session_id = s.id
    WHERE s.account_id = a.id ORDER BY 1 DESC LIMIT 1) latest ON true
  WHERE a.role <> 'user'
  ORDER BY array_position(ARRAY['admin', 'operator', 'finance', 'support', 'analyst'], a.role), a.email`;

const ROLE_GIVEN_BY = `
  SELECT e.details->>'provider' AS provider FROM accounts.security_events e
  WHERE e.account_id = $1 AND e.type = 'account.role_changed' ORDER BY e.created_at DESC, e.id DESC LIMIT 1`;

/** Everybody who has a role of the staff. */
export async function listStaff(executor: Executor): Promise<StaffMember[]> {
  return (await executor.query<StaffMember>(LIST)).rows;
}

/** The OpenID provider whose group gave the account its present role; null if none did. */
export async function providerOfRole(transaction: Transaction, accountId: string): Promise<string | null> {
  const { rows } = await transaction.query<{ provider: string | null }>(ROLE_GIVEN_BY, [accountId]);
  return rows[0]?.provider ?? null;
}
