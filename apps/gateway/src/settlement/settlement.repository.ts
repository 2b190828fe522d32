import { type Executor } from '@inference/database';
import { type QueryConfig } from 'pg';

/** `append` debits leases, and folding debits the wallets later; `settle` locks the wallets and debits them at once. */
export type SettlementWrite = 'append' | 'settle';
const WRITES: Record<SettlementWrite, QueryConfig> = {
  append: { name: 'settlement-append', text: 'SELECT metering.append($1, $2) AS "requestId"' },
  settle: { name: 'settlement-settle', text: 'SELECT metering.settle($1, $2) AS "requestId"' },
};
const REFUSE = {
  name: 'settlement-refuse',
  text: 'SELECT refused, not_covered AS "notCovered" FROM metering.refuse_settlement($1, $2)',
};
/** Only settlements that wait for a lock: one that is committing must not be disturbed. */
const CANCEL_BLOCKED = `
  SELECT pg_cancel_backend(s.pid)
  FROM pg_stat_activity r JOIN pg_stat_activity s ON s.pid = ANY (pg_blocking_pids(r.pid))
  WHERE r.datname = current_database() AND r.usename = current_user AND r.wait_event_type = 'Lock'
    AND r.query LIKE '%metering.refuse_settlement(%'
    AND s.usename = current_user AND s.wait_event_type = 'Lock'
    AND (s.query LIKE '%metering.settle(%' OR s.query LIKE '%metering.append(%')`;
const FOLD = {
  name: 'settlement-fold',
  text: `SELECT folded, waiting::float8 AS waiting, set_aside::float8 AS "setAside", oldest_seconds AS "oldestSeconds"
    FROM metering.fold(make_interval(secs => $1), $2)`,
};

/** What has become of a batch, for ever: refused as a whole, or settled except for the requests that were not covered. */
export interface Decision {
  refused: boolean;
  /** The ids of the requests that are not covered: after `append` by their lease, after `settle` by the wallet's free money either. */
  notCovered: ReadonlySet<string>;
}

/** Limits the time for an answer. The statement may run on in the database. */
function within(millis: number, statement: QueryConfig): QueryConfig {
  // The types of pg lack query_timeout of a single statement.
  return { ...statement, query_timeout: Math.max(1, millis) } as QueryConfig;
}

/**
 * Writes a batch of usage events, once for each batch id.
 * @param rows JSON of settlement rows (see toSettlementRow)
 */
export async function writeBatch(
  executor: Executor,
  write: SettlementWrite,
  batchId: string,
  rows: string,
  timeoutMillis: number,
): Promise<Decision> {
  const statement = within(timeoutMillis, { ...WRITES[write], values: [batchId, rows] });
  const result = await executor.query<{ requestId: string }>(statement);
  return { refused: false, notCovered: new Set(result.rows.map(({ requestId }) => requestId)) };
}

/**
 * Takes the id of a batch so that it is never settled, unless it was settled before. Waits for a settlement of the batch that is
 * still running.
 */
export async function refuseBatch(
  executor: Executor,
  batchId: string,
  rows: string,
  timeoutMillis: number,
): Promise<Decision> {
  const statement = within(timeoutMillis, { ...REFUSE, values: [batchId, rows] });
  const { rows: found } = await executor.query<{ refused: boolean; notCovered: string[] }>(statement);
  const { refused, notCovered } = found[0]!;
  return { refused, notCovered: new Set(notCovered) };
}

/** Cancels settlements that wait for a lock while a refusal of them waits for their end. */
export async function cancelBlockedSettlements(executor: Executor, timeoutMillis: number): Promise<void> {
  await executor.query(within(timeoutMillis, { text: CANCEL_BLOCKED }));
}

/** What a fold has done, and what waits after it. */
export interface Folded {
  /** Accounts. */
  folded: number;
  /** Rows that wait, those that are set aside included. */
  waiting: number;
  /** Rows that could not be folded. */
  setAside: number;
  /** Age of the oldest row that is not set aside; 0 without one. */
  oldestSeconds: number;
}

/** Folds what has waited for this long into rollup, ledger and wallets, of at most so many accounts. */
export async function foldUsage(
  executor: Executor,
  minAgeSeconds: number,
  accounts: number,
): Promise<Folded> {
  return (await executor.query<Folded>({ ...FOLD, values: [minAgeSeconds, accounts] })).rows[0]!;
}
