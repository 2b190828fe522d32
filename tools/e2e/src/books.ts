import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Sql } from '@inference/database';
import { type TestDatabase } from '@inference/testing';
import { ROOT } from './service-process';

/** The same money as each book has it, in picos. */
export interface Books {
  events: bigint;
  rollup: bigint;
  debits: bigint;
  balance: bigint;
}

const BOOKS = `
  SELECT
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.usage_events WHERE account_id = $1) AS events,
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_rollup WHERE account_id = $1) AS rollup,
    (SELECT coalesce(-sum(e.amount_picos), 0) FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
     WHERE t.kind = 'usage' AND e.ledger_account = 'wallet:' || $1) AS debits,
    (SELECT balance_picos FROM wallet.wallets WHERE account_id = $1) AS balance`;

export async function readBooks(sql: Sql, accountId: string): Promise<Books> {
  const { rows } = await sql.query<Books>(BOOKS, [accountId]);
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

/** Every recorded event by its request id; throws when one is there twice. */
export async function readEvents(sql: Sql): Promise<Map<string, EventRow>> {
  const { rows } = await sql.query<EventRow>(
    `SELECT request_id, account_id, api_key_id, model, outcome, input_tokens, output_tokens, estimated, cost_picos
     FROM metering.usage_events`,
  );
  const events = new Map(rows.map((row) => [row.request_id, row]));
  if (events.size !== rows.length) throw new Error(`${rows.length - events.size} events are recorded twice.`);
  return events;
}

/** Runs the reconciliation as an operator does; rejects with the differences it names. */
export async function runReconcile(database: TestDatabase): Promise<string> {
  const command = join(ROOT, 'dist/libs/metering/src/reconcile/command.js');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [command], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`The books differ:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Money that any lease still sets aside, over all wallets and key budgets. */
export async function readLeases(
  sql: Sql,
): Promise<{ leases: bigint; walletPicos: bigint; keyPicos: bigint }> {
  const { rows } = await sql.query<{ leases: bigint; wallets: bigint; keys: bigint }>(
    `SELECT (SELECT count(*) FROM wallet.leases) AS leases,
       (SELECT coalesce(sum(leased_picos), 0) FROM wallet.wallets) AS wallets,
       (SELECT coalesce(sum(leased_picos), 0) FROM wallet.key_budgets) AS keys`,
  );
  const { leases, wallets, keys } = rows[0]!;
  return { leases, walletPicos: wallets, keyPicos: keys };
}
