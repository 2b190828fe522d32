import { type Executor } from '@inference/database';
import { type TrainingPrice } from '@inference/metering';
import { type Wallet } from '@inference/wallet';
import { type Quota } from '../quotas/quota.entity';

/** What a caller can train with. A price or rate that is missing is null. */
export interface Means extends Pick<Wallet, 'balancePicos'>, Pick<Quota, 'usedTokens'> {
  totalTokens: bigint;
  /** The part of the key's spending limit that it has not spent; null: no limit. Negative if the limit was lowered below that. */
  keyRestPicos: bigint | null;
  tokenRatePicos: TrainingPrice['tokenRatePicos'] | null;
  gpuHourPicos: TrainingPrice['gpuHourPicos'] | null;
  usdPerUnit: string | null;
}

/** `$2`: the default total; `$3`: the key of the caller, or null. */
const READ = `
  SELECT w.balance_picos AS "balancePicos", coalesce(q.total_tokens, $2::bigint) AS "totalTokens",
    coalesce(q.used_tokens, 0) AS "usedTokens", p.token_rate_picos AS "tokenRatePicos",
    p.gpu_hour_picos AS "gpuHourPicos", training.usd_per_unit(w.currency)::text AS "usdPerUnit",
    b.limit_picos - b.counted_picos AS "keyRestPicos"
  FROM wallet.balances w
  LEFT JOIN training.quotas q USING (account_id)
  LEFT JOIN wallet.key_spending b ON b.api_key_id = $3 AND b.account_id = w.account_id
  LEFT JOIN (
    SELECT token_rate_picos, gpu_hour_picos FROM pricing.training_prices ORDER BY price_list_id DESC LIMIT 1
  ) p ON true
  WHERE w.account_id = $1`;

/** Null for an account without a wallet. */
export async function readMeans(
  executor: Executor,
  { accountId, apiKeyId }: { accountId: string; apiKeyId: string | null },
  defaultTotalTokens: number,
): Promise<Means | null> {
  const { rows } = await executor.query<Means>(READ, [accountId, defaultTotalTokens, apiKeyId]);
  return rows[0] ?? null;
}
