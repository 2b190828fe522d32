import { type Executor } from '@inference/database';
import { usageLines } from '@inference/metering';
import { closedHoursEnd } from '@inference/wallet';

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
  /** Of the whole period, with the hours that are not closed and the parts of hours at its ends. */
  periodUsagePicos: bigint;
}

/** `$1` and `$2` are the period, `$2` null: no end; `$3` is the account. */
const SUMS = `
  WITH ${usageLines('usage', 'month')},
  closed AS (
    SELECT date_trunc('hour', $1::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC') AS "from",
      least(date_trunc('hour', coalesce($2::timestamptz, 'infinity'), 'UTC'), ${closedHoursEnd('$3')}) AS "to"
  )
  SELECT c."from", c."to", coalesce(u.cost, 0) AS "usagePicos", coalesce(u.cost_usd, 0) AS "usageUsdPicos",
    coalesce(t.cost, 0) AS "transactionsPicos",
    (SELECT coalesce(sum(cost_picos), 0) FROM usage_lines) AS "periodUsagePicos"
  FROM closed c
  CROSS JOIN LATERAL (
    SELECT sum(r.cost_picos) AS cost, sum(r.cost_usd_picos) AS cost_usd FROM metering.hourly_rollup r
    WHERE r.account_id = $3 AND r.hour >= c."from" AND r.hour < c."to"
  ) u
  CROSS JOIN LATERAL (
    SELECT -sum(e.amount_picos) AS cost
    FROM wallet.transfers t
    JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
    WHERE t.account_id = $3 AND t.kind = 'usage' AND t.hour >= c."from" AND t.hour < c."to"
  ) t`;

/**
 * Usage from the rollup and usage transactions from the ledger, for the closed hours of UTC that lie in the period as a whole, and
 * all its usage, as of one moment.
 * @param to null: no end
 */
export async function readProofSums(
  executor: Executor,
  accountId: string,
  from: string,
  to: string | null,
): Promise<ProofSums> {
  return (await executor.query<ProofSums>(SUMS, [from, to, accountId])).rows[0]!;
}
