import { type Executor } from '@inference/database';
import { CLOSED_HOURS_END } from '@inference/wallet';

/** The closed hours of a period with their sums. */
export interface ProofSums {
  /** Start of the first hour. */
  from: Date;
  /** End of the last hour; not after `from` if no hour of the period is closed. */
  to: Date;
  usagePicos: bigint;
  /** In 10⁻¹² USD. */
  usageUsdPicos: bigint;
  transactionsPicos: bigint;
}

/** `$1` is the account, `$2` and `$3` the period; `$3` null: no end. */
const SUMS = `
  WITH bounds AS (
    SELECT date_trunc('hour', $2::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC') AS "from",
      least(date_trunc('hour', coalesce($3::timestamptz, 'infinity'), 'UTC'), ${CLOSED_HOURS_END}) AS "to"
  )
  SELECT b."from", b."to", coalesce(u.cost, 0) AS "usagePicos", coalesce(u.cost_usd, 0) AS "usageUsdPicos",
    coalesce(t.cost, 0) AS "transactionsPicos"
  FROM bounds b
  CROSS JOIN LATERAL (
    SELECT sum(r.cost_picos) AS cost, sum(r.cost_usd_picos) AS cost_usd FROM metering.hourly_rollup r
    WHERE r.account_id = $1 AND r.hour >= b."from" AND r.hour < b."to"
  ) u
  CROSS JOIN LATERAL (
    SELECT -sum(e.amount_picos) AS cost
    FROM wallet.transfers t
    JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
    WHERE t.account_id = $1 AND t.kind = 'usage' AND t.hour >= b."from" AND t.hour < b."to"
  ) t`;

/**
 * Usage from the rollup and usage transactions from the ledger, for the closed hours of UTC that lie in the period as a whole.
 * @param to null: no end
 */
export async function readProofSums(
  executor: Executor,
  accountId: string,
  from: string,
  to: string | null,
): Promise<ProofSums> {
  return (await executor.query<ProofSums>(SUMS, [accountId, from, to])).rows[0]!;
}
