import { newId, type Executor } from '@inference/database';
import { charge, countsOf, RATE_DIGITS, type UnitRate } from '@inference/metering';

/** One request that a gateway served. */
export interface Served {
  account: { accountId: string; apiKeyId: string };
  model: string;
  entrypoint: string;
  rates: UnitRate[];
  inputTokens: number;
  outputTokens: number;
  /** USD for one unit of the site's currency × 10^10; one by default. */
  usdPerUnit?: bigint;
}

export interface Settled extends Served {
  requestId: string;
  costPicos: bigint;
  costUsdPicos: bigint;
}

const ONE = 10n ** BigInt(RATE_DIGITS);
const LEASE_SECONDS = 30;

function toEvent(served: Served, leaseId: string) {
  const { account, model, entrypoint, rates, inputTokens, outputTokens, usdPerUnit = ONE } = served;
  const { costPicos, costUsdPicos, lines } = charge(
    rates,
    countsOf({ inputTokens, outputTokens }),
    usdPerUnit,
  );
  const event = {
    request_id: newId('req'),
    lease_id: leaseId,
    limited: false,
    started_at: new Date().toISOString(),
    account_id: account.accountId,
    api_key_id: account.apiKeyId,
    model,
    entrypoint,
    endpoint: '/v1/chat/completions',
    upstream: 'test',
    outcome: 'completed',
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    estimated: false,
    price_list_id: 1,
    usd_per_unit: `${usdPerUnit / ONE}.${(usdPerUnit % ONE).toString().padStart(RATE_DIGITS, '0')}`,
    cost_picos: String(costPicos),
    cost_usd_picos: String(costUsdPicos),
    lines: lines.map((line) => ({
      unit: line.unit,
      quantity: String(line.quantity),
      tokens: String(line.tokens),
      cost_picos: String(line.costPicos),
      cost_usd_picos: String(line.costUsdPicos),
    })),
  };
  return { event, settled: { ...served, requestId: event.request_id, costPicos, costUsdPicos } };
}

async function draw(gateway: Executor, accountId: string, amountPicos: bigint): Promise<string> {
  const { rows } = await gateway.query<{ lease_id: string | null }>(
    'SELECT lease_id FROM wallet.draw_lease($1, NULL, NULL, $2, $3, $4, $4, $5)',
    [accountId, newId('lease'), 'test gateway', amountPicos, LEASE_SECONDS],
  );
  const leaseId = rows[0]?.lease_id;
  if (!leaseId) throw new Error('The wallet did not grant a lease.');
  return leaseId;
}

/** Leases, settles and gives back, with a gateway's own rights; every request is settled or it throws. */
export async function settle(gateway: Executor, requests: Served[]): Promise<Settled[]> {
  const needs = new Map<string, bigint>();
  for (const served of requests) {
    const { accountId } = served.account;
    needs.set(accountId, (needs.get(accountId) ?? 0n) + toEvent(served, '').settled.costPicos);
  }
  const leases = new Map<string, string>();
  for (const [accountId, picos] of needs) leases.set(accountId, await draw(gateway, accountId, picos));
  const made = requests.map((served) => toEvent(served, leases.get(served.account.accountId)!));
  const { rows } = await gateway.query('SELECT metering.settle($1, $2::jsonb) AS refused', [
    newId('set'),
    JSON.stringify(made.map(({ event }) => event)),
  ]);
  if (rows.length) throw new Error(`${rows.length} requests were refused.`);
  for (const id of leases.values()) await gateway.query('SELECT wallet.return_lease($1, 0, true)', [id]);
  return made.map(({ settled }) => settled);
}
