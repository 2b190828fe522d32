import { createTestDatabase, insertAccount, publishPrices, type TestDatabase } from '@inference/testing';
import { CHECKS } from './checks';
import { reconcile } from './reconcile';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  const list = await publishPrices(database.pool, [
    { slug: 'm', unit: 'per_million_tokens', ratePicos: 10n },
  ]);
  const { accountId, apiKeyId } = await insertAccount(database.pool, { balancePicos: 1_000n });
  await database.pool.query("SELECT wallet.draw_lease($1, NULL, NULL, 'lse_1', 'h', 500, 500, 60)", [
    accountId,
  ]);
  const line = { unit: 'per_million_tokens', quantity: 7, tokens: 7, cost_picos: 70, cost_usd_picos: 70 };
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
  };
  await database.pool.query("SELECT metering.settle('stl_1', $1)", [JSON.stringify([event])]);
});
afterEach(async () => {
  await database.drop();
});

it('finds no difference in sound books', async () => {
  expect(await reconcile(database.pool)).toEqual([]);
});

const FALSIFICATIONS: [string, string, string[]][] = [
  [
    'an entry',
    `UPDATE wallet.entries SET amount_picos = amount_picos + 1 WHERE ledger_account = 'revenue:usage'`,
    ['entries of each transfer'],
  ],
  ['a balance', 'UPDATE wallet.wallets SET balance_picos = balance_picos + 1', ['each balance']],
  ['a lease', 'UPDATE wallet.leases SET amount_picos = amount_picos - 1', ['aside in each wallet']],
  ['a key budget', 'UPDATE wallet.key_budgets SET leased_picos = 1', ['aside in each key budget']],
  [
    "a key's spending",
    'UPDATE wallet.key_budgets SET spent_picos = spent_picos + 1',
    ['what each key has spent'],
  ],
  ["the rollup's cost", 'UPDATE metering.hourly_rollup SET cost_picos = cost_picos - 1', ['cost of events']],
  [
    "the rollup's tokens",
    'UPDATE metering.hourly_rollup SET tokens = tokens + 1',
    ['tokens and cost in USD'],
  ],
  [
    "an event's tokens",
    'UPDATE metering.usage_events SET input_tokens = 9',
    ['tokens and cost in USD', 'prices of its price list'],
  ],
  [
    'a lost event',
    'DELETE FROM metering.usage_events',
    ['what each key', 'cost of events', 'tokens and cost in USD'],
  ],
  [
    'an event recorded twice',
    `INSERT INTO metering.usage_events SELECT (jsonb_populate_record(e, jsonb_build_object('occurred_at', e.occurred_at + interval '1 microsecond'))).*
     FROM metering.usage_events e`,
    ['recorded once'],
  ],
];

it.each(FALSIFICATIONS)('finds %s that was falsified', async (_what, statement, expected) => {
  await database.pool.query(statement);
  const found = new Set((await reconcile(database.pool)).map(({ check }) => check));
  for (const part of expected) expect([...found].some((check) => check.includes(part))).toBe(true);
});

it('has a falsification for each of its checks', () => {
  const covered = FALSIFICATIONS.flatMap(([, , expected]) => expected);
  for (const { name } of CHECKS) expect(covered.some((part) => name.includes(part))).toBe(true);
});
