import { type Executor, type Position } from '@inference/database';

/** One movement of a wallet. */
export interface WalletMovement {
  id: string;
  type: 'topup' | 'usage' | 'adjustment';
  /** Signed: negative for a deduction. */
  amountPicos: bigint;
  createdAt: Date;
  description: string;
  /** Identifies the reason of a top-up or adjustment, as it was posted; null for usage. */
  reference: string | null;
  /** Of usage; null otherwise. */
  model: string | null;
  position: Position;
}

/** Settlement takes the hour from the database's clock and may commit shortly after the hour ended, so an hour closes later. */
const CLOSING_DELAY = `interval '60 seconds'`;

/**
 * SQL of the end of the last closed hour of an account: hours that start before it do not change any more, and all their usage is in
 * the ledger.
 */
export const closedHoursEnd = (account: string): string =>
  `least(date_trunc('hour', now() - ${CLOSING_DELAY}, 'UTC'),
    (SELECT min(hour) FROM metering.unfolded_usage WHERE account_id = ${account}))`;

const USAGE_ID = `'use_' || md5($1 || ' ' || model || ' ' || extract(epoch FROM hour)::bigint)`;

/** SQL of the last hour whose usage the page may show. */
const LAST_HOUR = `least(${closedHoursEnd('$1')}, $2::timestamptz) - interval '1 hour'`;
const AFTER_POSITION = `($2::timestamptz IS NULL OR (hour + interval '1 hour', ${USAGE_ID}) < ($2, $3))`;

/**
 * The lines of one hour are sorted by their ids, for which usage has no index. So first the earliest hour of the page is found by
 * reading the primary key backward until there are enough lines: with these conditions and this order the planner can do nothing
 * else, whatever it knows about the size of the account. Then the lines since that hour are read. There, the subquery hides the
 * account: for one that has a large share of the table, the planner would read the hours of all accounts.
 */
const PAGE = `
  WITH usage_page AS (
    SELECT hour FROM metering.hourly_rollup
    WHERE account_id >= $1 AND (account_id, hour) <= ($1, ${LAST_HOUR}) AND ${AFTER_POSITION}
    GROUP BY account_id, hour, model HAVING sum(cost_picos) > 0
    ORDER BY account_id DESC, hour DESC, model DESC LIMIT $4
  ), lines AS (
    (SELECT t.id, t.kind AS type, e.amount_picos, t.created_at, t.description, t.reference, NULL AS model
     FROM (
       SELECT * FROM wallet.transfers
       WHERE account_id = $1 AND kind <> 'usage' AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3))
       ORDER BY created_at DESC, id DESC LIMIT $4
     ) t
     JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id)
    UNION ALL
    (SELECT ${USAGE_ID} AS id, 'usage' AS type, -sum(cost_picos) AS amount_picos, hour + interval '1 hour' AS created_at,
       'Usage of ' || model || ', ' || to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' to '
         || to_char((hour + interval '1 hour') AT TIME ZONE 'UTC', 'HH24:MI') || ' UTC' AS description,
       NULL AS reference, model
     FROM metering.hourly_rollup
     WHERE account_id = (SELECT $1::text) AND hour BETWEEN (SELECT min(hour) FROM usage_page) AND ${LAST_HOUR}
       AND ${AFTER_POSITION}
     GROUP BY hour, model HAVING sum(cost_picos) > 0)
  )
  SELECT id, type, amount_picos AS "amountPicos", created_at AS "createdAt", description, reference, model,
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM lines ORDER BY created_at DESC, id DESC LIMIT $4`;

/**
 * Returns the movements of an account, newest first: every top-up and adjustment, and one usage line per model and closed hour,
 * dated at the end of that hour (spec: Wallet transaction).
 * @param after position after which the page starts, or null for the first page
 */
export async function readMovements(
  executor: Executor,
  accountId: string,
  after: Position | null,
  limit: number,
): Promise<WalletMovement[]> {
  const values = [accountId, after?.at ?? null, after?.id ?? null, limit];
  const { rows } = await executor.query<Omit<WalletMovement, 'position'> & { at: string }>(PAGE, values);
  return rows.map(({ at, ...line }) => ({ ...line, position: { at, id: line.id } }));
}
