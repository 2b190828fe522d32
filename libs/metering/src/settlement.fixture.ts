import { type TestAccount, type TestPool } from '@inference/testing';

/** Of a token of the model, in picos. */
export const RATE = 1000n;
export const MODEL = 'm';

let sequence = 0;
export const next = (prefix: string) => `${prefix}_${++sequence}`;

export interface EventOptions {
  priceListId: bigint;
  account: TestAccount;
  leaseId: string | null;
  tokens: number;
  limited?: boolean;
  apiKeyId?: string;
}

/** An event of a request, as metering.settle takes it. */
export function eventOf({
  priceListId,
  account,
  leaseId,
  tokens,
  limited = false,
  apiKeyId = account.apiKeyId,
}: EventOptions) {
  const cost = (BigInt(tokens) * RATE).toString();
  return {
    request_id: next('req'),
    lease_id: leaseId,
    limited,
    started_at: new Date().toISOString(),
    account_id: account.accountId,
    api_key_id: apiKeyId,
    model: MODEL,
    entrypoint: 'gateway',
    endpoint: 'chat/completions',
    upstream: 'u',
    outcome: 'completed',
    input_tokens: tokens,
    output_tokens: 0,
    estimated: false,
    price_list_id: priceListId.toString(),
    usd_per_unit: '1',
    cost_picos: cost,
    cost_usd_picos: cost,
    lines: [{ unit: 'per_million_tokens', quantity: tokens, tokens, cost_picos: cost, cost_usd_picos: cost }],
  };
}

/** Returns the ids of the requests that are not covered. */
export async function settle(gateway: TestPool, events: object[], id = next('stl')): Promise<string[]> {
  const { rows } = await gateway.query<{ id: string }>('SELECT metering.settle($1, $2) AS id', [
    id,
    JSON.stringify(events),
  ]);
  return rows.map((row) => row.id);
}

export interface DrawOptions {
  key?: string;
  ttl?: number;
  current?: string;
}

/** Draws a lease. */
export async function draw(
  gateway: TestPool,
  account: TestAccount,
  need: bigint,
  want = need,
  options: DrawOptions = {},
) {
  const { rows } = await gateway.query<{
    lease_id: string | null;
    granted_picos: bigint;
    refusal: string;
    elsewhere_picos: bigint;
  }>('SELECT * FROM wallet.draw_lease($1, $2, $3, $4, $5, $6, $7, $8)', [
    account.accountId,
    options.key ?? null,
    options.current ?? null,
    next('lse'),
    'test',
    need,
    want,
    options.ttl ?? 60,
  ]);
  return rows[0]!;
}

export async function walletOf(pool: TestPool, account: TestAccount) {
  const { rows } = await pool.query<{ balance_picos: bigint; leased_picos: bigint }>(
    'SELECT balance_picos, leased_picos FROM wallet.wallets WHERE account_id = $1',
    [account.accountId],
  );
  return rows[0]!;
}

/** Returns the ids of the requests that their leases do not cover. */
export async function append(gateway: TestPool, events: object[], id = next('stl')): Promise<string[]> {
  const { rows } = await gateway.query<{ id: string }>('SELECT metering.append($1, $2) AS id', [
    id,
    JSON.stringify(events),
  ]);
  return rows.map((row) => row.id);
}

/** Folds everything that waits, and returns what is left. */
export async function fold(
  gateway: TestPool,
): Promise<{ folded: number; waiting: bigint; set_aside: bigint }> {
  const { rows } = await gateway.query<{ folded: number; waiting: bigint; set_aside: bigint }>(
    "SELECT folded, waiting, set_aside FROM metering.fold('0', 1000)",
  );
  return rows[0]!;
}
