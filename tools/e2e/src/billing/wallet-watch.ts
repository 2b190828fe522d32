import { type Executor } from '@inference/database';

const POLL_MILLIS = 5;

export interface Lowest {
  /** The balance, and the balance without leases. */
  balancePicos: bigint;
  freePicos: bigint;
  /** The rest of the key's spending limit after leases; null if the key has no limit. */
  keyLeftPicos: bigint | null;
}

const LOOK = `
  SELECT w.balance_picos, w.balance_picos - w.leased_picos AS free_picos,
    (SELECT limit_picos - spent_picos - leased_picos FROM wallet.key_budgets WHERE api_key_id = $2) AS key_left_picos
  FROM wallet.balances w WHERE w.account_id = $1`;

interface Row {
  balance_picos: bigint;
  free_picos: bigint;
  key_left_picos: bigint | null;
}

const lower = (a: bigint, b: bigint) => (a < b ? a : b);

/** Polls a wallet while the work runs. Returns the lowest values. */
export async function watchWallet(
  sql: Executor,
  accountId: string,
  apiKeyId: string,
  work: () => Promise<void>,
): Promise<Lowest> {
  const rows: Row[] = [];
  let running = true;
  const look = async () => rows.push((await sql.query<Row>(LOOK, [accountId, apiKeyId])).rows[0]!);
  const watching = (async () => {
    while (running) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
    }
    await look();
  })();
  await work().finally(() => (running = false));
  await watching;
  const keyLeft = rows.flatMap(({ key_left_picos: left }) => (left === null ? [] : [left]));
  return {
    balancePicos: rows.map((row) => row.balance_picos).reduce(lower),
    freePicos: rows.map((row) => row.free_picos).reduce(lower),
    keyLeftPicos: keyLeft.length > 0 ? keyLeft.reduce(lower) : null,
  };
}
