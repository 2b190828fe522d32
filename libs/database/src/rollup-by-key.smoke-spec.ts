import { DatabaseBefore } from './database-before.fixture';

const FIRST = '0024_rollup_key_column';
const SECOND = '0025_rollup_by_key';
const THIRD = '0026_recounted_rollup';

const FILL = `
  INSERT INTO accounts.accounts (id, email) VALUES ('a', 'a@example.com'), ('b', 'b@example.com');
  INSERT INTO wallet.wallets (account_id, currency) VALUES ('a', 'USD'), ('b', 'USD')`;
const OPEN = `
  INSERT INTO wallet.transfers (id, kind, account_id, reference, description)
  SELECT 'open_' || account_id, 'adjustment', account_id, 'open_' || account_id, '' FROM wallet.wallets;
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT 'open_' || account_id, 'wallet:' || account_id, 1000000 FROM wallet.wallets
  UNION ALL SELECT 'open_' || account_id, 'equity:adjustments', -1000000 FROM wallet.wallets;
  UPDATE wallet.wallets SET balance_picos = 1000000`;

const SUMS = `
  SELECT account_id, hour, model, entrypoint, unit, sum(quantity) AS quantity, sum(tokens) AS tokens,
    sum(cost_picos) AS cost, sum(cost_usd_picos) AS usd
  FROM metering.hourly_rollup GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;
const BY_KEY = `
  SELECT account_id AS account, api_key_id AS key, hour < date_trunc('hour', now(), 'UTC') AS earlier, sum(tokens) AS tokens
  FROM metering.hourly_rollup GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 DESC`;

describe('the migrations to a rollup by API key', () => {
  let database: DatabaseBefore;
  let settled = 0;

  beforeEach(async () => {
    database = await DatabaseBefore.create(FIRST);
    await database.owner.query(`${FILL}; ${OPEN}`);
  });
  afterEach(() => database?.drop());

  /** As a gateway of any version: all call the function of the database. */
  async function settle(accountId: string, apiKeyId: string | null, tokens: number): Promise<void> {
    const cost = String(tokens);
    const event = {
      ...{ request_id: `req_${++settled}`, limited: false, started_at: new Date().toISOString() },
      ...{ account_id: accountId, api_key_id: apiKeyId, model: 'm', entrypoint: 'gateway', endpoint: 'chat' },
      ...{ upstream: 'u', outcome: 'completed', input_tokens: tokens, output_tokens: 0, estimated: false },
      ...{ price_list_id: '1', usd_per_unit: '1', cost_picos: cost, cost_usd_picos: cost, lease_id: null },
      lines: [
        { unit: 'per_million_tokens', quantity: cost, tokens: cost, cost_picos: cost, cost_usd_picos: cost },
      ],
    };
    const { rows } = await database.owner.query('SELECT metering.settle($1, $2)', [
      `stl_${settled}`,
      JSON.stringify([event]),
    ]);
    expect(rows).toEqual([]);
  }
  const sums = async () => (await database.owner.query<object>(SUMS)).rows;
  const byKey = async () =>
    (
      await database.owner.query<{ account: string; key: string; earlier: boolean; tokens: bigint }>(BY_KEY)
    ).rows.map(({ account, key, earlier, tokens }) => [account, key, earlier, tokens]);

  it('keep all sums while gateways settle, and divide earlier usage by key', async () => {
    await settle('a', 'key_1', 1);
    await settle('a', 'key_2', 2);
    await settle('b', null, 4);
    // To the month before, which has no partition yet.
    await database.owner.query(`
      CREATE TABLE metering.usage_events_earlier PARTITION OF metering.usage_events DEFAULT;
      UPDATE metering.usage_events SET occurred_at = occurred_at - interval '40 days';
      UPDATE metering.hourly_rollup SET hour = hour - interval '40 days'`);
    await settle('a', 'key_1', 8);
    expect(await database.migrateUp()).toEqual([FIRST]);
    await settle('a', 'key_1', 16);
    await settle('b', 'key_3', 32);
    const before = await sums();
    expect(await database.migrateUp()).toEqual([SECOND]);
    expect(await sums()).toEqual(before);
    await settle('a', 'key_2', 64);
    await settle('b', null, 128);
    const last = await sums();
    expect(await database.migrateUp()).toEqual([THIRD]);
    expect(await sums()).toEqual(last);
    expect(await byKey()).toEqual([
      ['a', 'key_1', true, 1n],
      ['a', 'key_1', false, 24n],
      ['a', 'key_2', true, 2n],
      ['a', 'key_2', false, 64n],
      ['b', '', true, 4n],
      ['b', '', false, 128n],
      ['b', 'key_3', false, 32n],
    ]);

    for (const name of [THIRD, SECOND, FIRST]) await database.migrateDown(name);
    const { rows } = await database.owner.query<object>(SUMS);
    expect(rows).toEqual(last);
    await settle('a', 'key_1', 1);
    expect(await database.migrateUp(3)).toEqual([FIRST, SECOND, THIRD]);
    expect((await byKey())[1]).toEqual(['a', 'key_1', false, 25n]);
  });

  it('keep usage of which there are no events any more', async () => {
    await settle('a', 'key_1', 1);
    await database.owner.query(
      "INSERT INTO metering.hourly_rollup VALUES ('a', '2020-01-01T00:00:00Z', 'm', 'gateway', 'per_million_tokens', 5, 5, 5, 5)",
    );
    expect(await database.migrateUp(3)).toEqual([FIRST, SECOND, THIRD]);
    expect(await byKey()).toEqual([
      ['a', '', true, 5n],
      ['a', 'key_1', false, 1n],
    ]);
  });

  it('may count an hour again', async () => {
    await settle('a', 'key_1', 1);
    await database.migrateUp(2);
    const again = () =>
      database.owner.query(
        "SELECT metering.recount_rollup(date_trunc('hour', now(), 'UTC'), 'infinity', 'a')",
      );
    await again();
    const once = await byKey();
    await again();
    expect(await byKey()).toEqual(once);
    expect(await database.migrateUp()).toEqual([THIRD]);
    expect(await byKey()).toEqual(once);
  });
});
