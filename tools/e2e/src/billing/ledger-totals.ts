import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Executor } from '@inference/database';
import { type TestDatabase } from '@inference/testing';
import { type CallResult, type CallUsage } from '../load/call-result';
import { loadCost } from '../load/continuous-load';
import { ROOT } from '../site/service-process';

/** The cost of all usage according to four tables, in picos, each with what waits to be folded into it. The four figures must be equal. */
export interface LedgerTotals {
  events: bigint;
  rollup: bigint;
  debits: bigint;
  balance: bigint;
}

const BOOKS = `
  SELECT
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.usage_events WHERE account_id = $1) AS events,
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_usage WHERE account_id = $1) AS rollup,
    (SELECT coalesce(-sum(e.amount_picos), 0) FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
     WHERE t.kind = 'usage' AND e.ledger_account = 'wallet:' || $1)
      + (SELECT coalesce(sum(cost_picos), 0) FROM metering.unfolded_usage WHERE account_id = $1) AS debits,
    (SELECT balance_picos FROM wallet.balances WHERE account_id = $1) AS balance`;

export async function readLedgerTotals(sql: Executor, accountId: string): Promise<LedgerTotals> {
  const { rows } = await sql.query<LedgerTotals>(BOOKS, [accountId]);
  return rows[0]!;
}

export interface EventRow {
  request_id: string;
  account_id: string;
  api_key_id: string | null;
  model: string;
  outcome: string;
  input_tokens: bigint;
  output_tokens: bigint;
  estimated: boolean;
  cost_picos: bigint;
}

/** All usage events by request id. Throws if there are two for one request. */
export async function readEvents(sql: Pick<Executor, 'query'>): Promise<Map<string, EventRow>> {
  const { rows } = await sql.query<EventRow>(
    `SELECT request_id, account_id, api_key_id, model, outcome, input_tokens, output_tokens, estimated, cost_picos
     FROM metering.usage_events`,
  );
  const events = new Map(rows.map((row) => [row.request_id, row]));
  if (events.size !== rows.length) throw new Error(`${rows.length - events.size} events are recorded twice.`);
  return events;
}

/**
 * Runs the reconcile command. Rejects with its output if there are differences.
 * @param build the root of the checkout whose command is run
 */
export async function runReconcile(database: Pick<TestDatabase, 'ownerUrl'>, build = ROOT): Promise<string> {
  const command = join(build, 'dist/libs/metering/src/reconcile/command.js');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [command], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`The ledger is inconsistent:\n${stdout}${stderr}`, { cause: error });
  }
}

/** The sum of all leases of wallets and key budgets. */
export async function readLeases(
  sql: Executor,
): Promise<{ leases: bigint; walletPicos: bigint; keyPicos: bigint }> {
  const { rows } = await sql.query<{ leases: bigint; wallets: bigint; keys: bigint }>(
    `SELECT (SELECT count(*) FROM wallet.leases) AS leases,
       (SELECT coalesce(sum(leased_picos), 0) FROM wallet.balances) AS wallets,
       (SELECT coalesce(sum(leased_picos), 0) FROM wallet.key_budgets) AS keys`,
  );
  const { leases, wallets, keys } = rows[0]!;
  return { leases, walletPicos: wallets, keyPicos: keys };
}

/**
 * Complete responses without a usage event of the expected cost. Throws if a request has two events.
 * @param costOf in picos; that of a continuous load unless given
 */
export async function wronglyBilled(
  sql: Pick<Executor, 'query'>,
  results: CallResult[],
  costOf: (usage: CallUsage) => bigint = loadCost,
): Promise<CallResult[]> {
  const events = await readEvents(sql);
  return results
    .filter(({ complete }) => complete)
    .filter(({ requestId, usage }) => {
      const event = events.get(requestId ?? '');
      return !event || !usage || BigInt(event.cost_picos) !== costOf(usage);
    });
}
