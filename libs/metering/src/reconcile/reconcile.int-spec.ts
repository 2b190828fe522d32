import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  publishTrainingPrice,
  type TestDatabase,
} from '@inference/testing';
import { postTransfer } from '@inference/wallet';
import { CHECKS } from './checks.repository';
import { FALSIFICATIONS } from './falsifications.fixture';
import { reconcile } from './checks.repository';

const HUNDREDTH = 10n ** 10n;

let database: TestDatabase;

async function insertPayment(accountId: string, id: string, amountMinor: number, status = 'paid') {
  await database.pool.query(
    `INSERT INTO billing.payments
       (id, account_id, provider, amount_minor, currency, status, created_at, expires_at, paid_at, provider_reference,
       ended_at)
     SELECT $1::text, $2, 'card_provider', $3, 'USD', $4, now(), now(), CASE WHEN $4 = 'paid' THEN now() END,
       CASE WHEN $4 = 'paid' THEN 'ref_' || $1 END, now()`,
    [id, accountId, amountMinor, status],
  );
}

async function insertRefund(accountId: string, id: string, paymentId: string, status: string) {
  await database.pool.query(
    `INSERT INTO billing.refunds (id, payment_id, amount_minor, status, ordered_by, ended_at)
     VALUES ($1, $2, 500, $3, $4, CASE WHEN $3 <> 'pending' THEN now() END)`,
    [id, paymentId, status, accountId],
  );
}

const move = (accountId: string, kind: 'topup' | 'adjustment', reference: string, hundredths: bigint) =>
  database.pool.transaction((transaction) =>
    postTransfer(transaction, {
      kind,
      accountId,
      amountPicos: hundredths * HUNDREDTH,
      counterpart: 'provider:card_provider',
      reference,
      description: reference,
    }),
  );

/** Inserts payments and refunds of the account in every status. */
async function insertBilling(accountId: string): Promise<void> {
  await insertPayment(accountId, 'pay_plain', 2_000);
  await insertPayment(accountId, 'pay_expired', 2_000, 'expired');
  await insertPayment(accountId, 'pay_pending', 2_000, 'pending');
  await move(accountId, 'topup', 'payment:pay_plain', 2_000n);
  for (const status of ['pending', 'succeeded', 'failed']) {
    await insertPayment(accountId, `pay_${status}_refund`, 700);
    await move(accountId, 'topup', `payment:pay_${status}_refund`, 700n);
    await insertRefund(accountId, `rfd_${status}`, `pay_${status}_refund`, status);
    await move(accountId, 'adjustment', `refund:rfd_${status}`, -500n);
  }
  await move(accountId, 'adjustment', 'refund:rfd_failed:reversal', 500n);
}

beforeEach(async () => {
  database = await createTestDatabase();
  const list = await publishPrices(database.pool, [
    { slug: 'm', unit: 'per_million_tokens', ratePicos: 10n },
    { slug: 'spoken', unit: 'per_audio_minute', ratePicos: 100n },
    { slug: 'spoken', unit: 'per_million_tokens', ratePicos: 10n },
  ]);
  const { accountId, apiKeyId } = await insertAccount(database.pool, { balancePicos: 1_000n });
  await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'lse_1', 'h', 500, 500, 60)", [
    accountId,
  ]);
  const line = { unit: 'per_million_tokens', quantity: 7, tokens: 7, cost_picos: 70, cost_usd_picos: 70 };
  /** What only lines of this version tell. */
  const rated = (meter: string, price: number, rate: number) => ({
    meter,
    price,
    rate_picos: String(rate),
    conditions: null,
  });
  const event = {
    request_id: 'req_1',
    lease_id: 'lse_1',
    limited: false,
    started_at: new Date().toISOString(),
    account_id: accountId,
    api_key_id: apiKeyId,
    model: 'm',
    entrypoint: 'gateway',
    endpoint: 'chat/completions',
    upstream: 'u',
    outcome: 'completed',
    input_tokens: 3,
    output_tokens: 4,
    estimated: false,
    price_list_id: list.toString(),
    usd_per_unit: '1',
    cost_picos: 70,
    cost_usd_picos: 70,
    lines: [line],
    upstream_costs: [
      { upstream: 'v', list: '1', served: false, cost_picos: '5' },
      { upstream: 'u', list: '2', served: true, cost_picos: '40' },
    ],
  };
  const spoken = {
    ...event,
    request_id: 'req_2',
    // As a gateway of an earlier version.
    upstream_costs: undefined,
    model: 'spoken',
    cost_picos: 172,
    cost_usd_picos: 172,
    lines: [
      { ...line, ...rated('input', 3, 10) },
      {
        ...rated('audio_second', 2, 100),
        unit: 'per_audio_minute',
        quantity: 61,
        tokens: 0,
        cost_picos: 102,
        cost_usd_picos: 102,
      },
    ],
  };
  await database.pool.query("SELECT metering.settle('stl_1', $1)", [JSON.stringify([event, spoken])]);
  await publishTrainingPrice(database.pool, 11n);
  await database.pool.query("SELECT training.record_usage('rec_1', $1, 'base', 5, 'trn_1', 'm', 100)", [
    accountId,
  ]);
  await insertBilling(accountId);
  const waiting = { ...event, request_id: 'req_waiting' };
  await database.pool.query("SELECT metering.append('stl_2', $1)", [JSON.stringify([waiting])]);
  const failed = { request_id: 'req_failed', account_id: accountId, model: 'm', list: '1', cost_picos: '7' };
  const attempts = ['v', 'w'].map((upstream, index) => ({ ...failed, upstream, attempt: index + 1 }));
  await database.pool.query("SELECT metering.add_uncharged_costs('ucb_1', $1)", [JSON.stringify(attempts)]);
});
afterEach(async () => {
  await database.drop();
});

it('finds no difference in a consistent ledger', async () => {
  expect(await reconcile(database.pool)).toEqual([]);
});

it('counts a batch once that comes twice, and each attempt for its own upstream', async () => {
  const { rows: batches } = await database.pool.query("SELECT * FROM metering.append('stl_2', '[]')");
  await database.pool.query("SELECT metering.add_uncharged_costs('ucb_1', '[]')");
  expect(batches).toEqual([]);
  const sums = async () =>
    (
      await database.pool.query(
        `SELECT upstream, sum(calls)::integer AS calls, sum(uncosted_calls)::integer AS uncosted, sum(revenue_picos)::text AS revenue,
           sum(cost_picos)::text AS cost FROM metering.margins GROUP BY upstream ORDER BY upstream`,
      )
    ).rows;
  const expected = [
    { upstream: 'trainer', calls: 1, uncosted: 1, revenue: '55', cost: '0' },
    { upstream: 'u', calls: 3, uncosted: 1, revenue: '312', cost: '80' },
    { upstream: 'v', calls: 0, uncosted: 0, revenue: '0', cost: '17' },
    { upstream: 'w', calls: 0, uncosted: 0, revenue: '0', cost: '7' },
  ];
  expect(await sums()).toEqual(expected);
  await database.pool.query("SELECT metering.fold('0', 10)");
  expect(await sums()).toEqual(expected);
  expect((await database.pool.query('SELECT FROM metering.unfolded_margins')).rowCount).toBe(0);
  expect(await reconcile(database.pool)).toEqual([]);
});

it('folds the margins of an account that has only costs that nobody was charged for', async () => {
  await database.pool.query("SELECT metering.fold('0', 10)");
  const { accountId } = await insertAccount(database.pool, { balancePicos: 0n });
  const failed = { request_id: 'req_only', attempt: 1, account_id: accountId, model: 'm', upstream: 'u' };
  const costs = [{ ...failed, list: '1', cost_picos: '7' }];
  await database.pool.query("SELECT metering.add_uncharged_costs('ucb_2', $1)", [JSON.stringify(costs)]);
  const fold = async () =>
    (await database.pool.query("SELECT folded, waiting FROM metering.fold('1 hour', 10)")).rows[0] as object;
  expect(await fold()).toEqual({ folded: 1, waiting: 0n });
  const { rows } = await database.pool.query(
    'SELECT calls, cost_picos::bigint AS cost FROM metering.daily_margins WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ calls: 0n, cost: 7n }]);
  expect(await fold()).toEqual({ folded: 0, waiting: 0n });
  expect(await reconcile(database.pool)).toEqual([]);
});

it('allows a limit that was changed to less than the key has spent', async () => {
  await database.pool.query(
    'UPDATE wallet.key_budgets SET limit_picos = spent_picos - 1, limit_changed_at = now()',
  );
  expect(await reconcile(database.pool)).toEqual([]);
});

it.each(FALSIFICATIONS)('finds %s', async (_what, statement, expected) => {
  await database.pool.query(statement);
  const found = new Set((await reconcile(database.pool)).map(({ check }) => check));
  for (const part of expected) expect([...found]).toContainEqual(expect.stringContaining(part));
});

it('has a falsification for each of its checks', () => {
  const covered = FALSIFICATIONS.flatMap(([, , expected]) => expected);
  for (const { name } of CHECKS) expect(covered.some((part) => name.includes(part))).toBe(true);
});
