import { type Executor, type Transaction } from '@inference/database';

import { Quota, QuotaChange } from './quota.entity';

/** Tokens of an account; the default total where no admin has set one. */
export interface EffectiveQuota extends Pick<Quota, 'usedTokens'> {
  totalTokens: bigint;
}

const LISTED_CHANGES = 50;

const READ = `
  SELECT coalesce(q.total_tokens, $2::bigint) AS "totalTokens", coalesce(q.used_tokens, 0) AS "usedTokens"
  FROM accounts.accounts a LEFT JOIN training.quotas q ON q.account_id = a.id WHERE a.id = $1`;
const OPEN = `
  INSERT INTO training.quotas (account_id, total_tokens) SELECT id, NULL FROM accounts.accounts WHERE id = $1
  ON CONFLICT DO NOTHING`;
const LOCK = `
  SELECT coalesce(total_tokens, $2::bigint) AS "totalTokens", used_tokens AS "usedTokens" FROM training.quotas
  WHERE account_id = $1 FOR UPDATE`;

/** Null for an unknown account. */
export async function readQuota(
  executor: Executor,
  accountId: string,
  defaultTotal: number,
): Promise<EffectiveQuota | null> {
  return (await executor.query<EffectiveQuota>(READ, [accountId, defaultTotal])).rows[0] ?? null;
}

/** Locks the quota until the transaction ends; makes one that has the default total. Null for an unknown account. */
export async function lockQuota(
  transaction: Transaction,
  accountId: string,
  defaultTotal: number,
): Promise<EffectiveQuota | null> {
  await transaction.query(OPEN, [accountId]);
  return (await transaction.query<EffectiveQuota>(LOCK, [accountId, defaultTotal])).rows[0] ?? null;
}

export async function setTotalTokens(
  transaction: Transaction,
  accountId: string,
  totalTokens: bigint,
): Promise<void> {
  await transaction.repository(Quota).update({ accountId }, { totalTokens });
}

export async function insertQuotaChange(
  transaction: Transaction,
  change: Pick<QuotaChange, 'accountId' | 'changedBy' | 'fromTokens' | 'toTokens'>,
): Promise<void> {
  await transaction.repository(QuotaChange).insert(change);
}

/** The last changes, newest first. */
export function listQuotaChanges(executor: Executor, accountId: string): Promise<QuotaChange[]> {
  return executor
    .repository(QuotaChange)
    .find({ where: { accountId }, order: { id: 'DESC' }, take: LISTED_CHANGES });
}
