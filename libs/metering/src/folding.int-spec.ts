import fc from 'fast-check';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { reconcile } from './reconcile/checks.repository';
import { createPartitions } from './rollups/usage-history.fixture';
import {
  append as appendAs,
  draw as drawAs,
  type DrawOptions,
  type EventOptions,
  eventOf,
  fold as foldAs,
  MODEL,
  next,
  RATE,
  settle as settleAs,
  walletOf,
} from './settlement.fixture';

let database: TestDatabase;
let gateway: TestPool;
let priceListId: bigint;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'gateway', size: 8 });
  priceListId = await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_tokens', ratePicos: RATE },
  ]);
});
afterAll(async () => {
  await gateway.end();
  await database.drop();
});

const event = (options: Omit<EventOptions, 'priceListId'>) => eventOf({ priceListId, ...options });
const append = (events: object[], id?: string) => appendAs(gateway, events, id);
const settle = (events: object[]) => settleAs(gateway, events);
const fold = () => foldAs(gateway);
const draw = (account: TestAccount, need: bigint, want?: bigint, options?: DrawOptions) =>
  drawAs(gateway, account, need, want, options);
const clean = async () => expect(await reconcile(database.pool)).toEqual([]);

/** An account with money for 100 tokens and a lease of half of it. */
async function accountWithLease() {
  const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
  const { lease_id: leaseId } = await draw(account, 50n * RATE);
  return { account, leaseId };
}

/** What readers see, and what is stored. */
async function figuresOf({ accountId }: TestAccount) {
  const { rows } = await database.pool.query<
    Record<'balance' | 'leased' | 'used' | 'rolledUp' | 'debits', bigint>
  >(
    `SELECT balance_picos AS balance, leased_picos AS leased,
       (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_usage u WHERE u.account_id = b.account_id) AS used,
       (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_rollup u WHERE u.account_id = b.account_id) AS "rolledUp",
       (SELECT coalesce(-sum(amount_picos), 0) FROM wallet.entries e JOIN wallet.transfers t ON t.id = e.transfer_id
        WHERE t.kind = 'usage' AND ledger_account = 'wallet:' || b.account_id) AS debits
     FROM wallet.balances b WHERE account_id = $1`,
    [accountId],
  );
  return rows[0]!;
}

/** Runs the work while a transaction holds the lock of the account's wallet. */
async function whileLocked<T>({ accountId }: TestAccount, work: () => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM wallet.wallets WHERE account_id = $1 FOR UPDATE', [accountId]);
    return await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('metering.append', () => {
  it('counts at once for every reader, and needs no lock of a wallet', async () => {
    const { account, leaseId } = await accountWithLease();
    await whileLocked(account, async () => {
      expect(
        await append([event({ account, leaseId, tokens: 3 }), event({ account, leaseId, tokens: 4 })]),
      ).toEqual([]);
    });
    const readable = { balance: 93n * RATE, leased: 43n * RATE, used: 7n * RATE };
    expect(await figuresOf(account)).toEqual({ ...readable, rolledUp: 0n, debits: 0n });
    // The stored wallet still counts the money as set aside.
    expect(await walletOf(database.pool, account)).toEqual({
      balance_picos: 100n * RATE,
      leased_picos: 50n * RATE,
    });
    await clean();
    await fold();
    expect(await figuresOf(account)).toEqual({ ...readable, rolledUp: 7n * RATE, debits: 7n * RATE });
    expect(await walletOf(database.pool, account)).toEqual({
      balance_picos: 93n * RATE,
      leased_picos: 43n * RATE,
    });
    await clean();
  });

  it('stores a repeated batch once, also if both run concurrently', async () => {
    const { account, leaseId } = await accountWithLease();
    const batch = [
      event({ account, leaseId, tokens: 5 }),
      event({ account, leaseId: 'lse_gone', tokens: 1 }),
    ];
    const id = next('stl');
    const leftOut = [batch[1]!.request_id];
    expect(await Promise.all([1, 2, 3].map(() => append(batch, id)))).toEqual([leftOut, leftOut, leftOut]);
    expect((await figuresOf(account)).used).toBe(5n * RATE);
    await fold();
    await clean();
  });

  it('leaves out what its lease does not cover, for metering.settle to decide', async () => {
    const { account, leaseId } = await accountWithLease();
    const { account: other, leaseId: small } = await accountWithLease();
    const covered = event({ account, leaseId, tokens: 50 });
    const beyond = event({ account: other, leaseId: small, tokens: 60 });
    const foreign = event({ account: other, leaseId, tokens: 1 });
    const left = [beyond.request_id, foreign.request_id];
    expect((await append([covered, beyond, foreign])).sort()).toEqual(left.sort());
    expect((await figuresOf(other)).used).toBe(0n);
    await gateway.query('SELECT wallet.return_lease($1, 0, true)', [small]);
    expect(await settle([beyond, foreign])).toEqual([]);
    expect((await figuresOf(other)).balance).toBe(39n * RATE);
    await clean();
  });

  it('never takes more than the lease has, however many batches run at once', async () => {
    const { account, leaseId } = await accountWithLease();
    const batches = Array.from({ length: 8 }, () => [event({ account, leaseId, tokens: 9 })]);
    const leftOut = (await Promise.all(batches.map((batch) => append(batch)))).flat();
    expect(leftOut).toHaveLength(3);
    expect((await figuresOf(account)).used).toBe(45n * RATE);
    await fold();
    await clean();
  });

  it('gives calls that follow one another ascending times, whichever process stores them', async () => {
    const { account, leaseId } = await accountWithLease();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      const one = event({ account, leaseId, tokens: 1 });
      ids.push(one.request_id);
      await append([one]);
    }
    const { rows } = await database.pool.query<{ request_id: string }>(
      'SELECT request_id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
      [account.accountId],
    );
    expect(rows.map(({ request_id }) => request_id)).toEqual(ids);
    await fold();
  });
});

describe('metering.fold', () => {
  it('folds each row once, however many processes fold', async () => {
    const { account, leaseId } = await accountWithLease();
    for (let i = 0; i < 10; i++) await append([event({ account, leaseId, tokens: 2 })]);
    await Promise.all(Array.from({ length: 6 }, fold));
    expect(await figuresOf(account)).toMatchObject({
      balance: 80n * RATE,
      rolledUp: 20n * RATE,
      debits: 20n * RATE,
    });
    const { rowCount } = await database.pool.query(
      'SELECT FROM wallet.transfers WHERE account_id = $1 AND kind = $2',
      [account.accountId, 'usage'],
    );
    expect(rowCount).toBe(1);
    await clean();
  });

  it('takes a batch that commits after later ones', async () => {
    const { account, leaseId } = await accountWithLease();
    const { account: other, leaseId: lease } = await accountWithLease();
    const slow = await gateway.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT metering.append($1, $2)', [
      next('stl'),
      JSON.stringify([event({ account, leaseId, tokens: 7 })]),
    ]);
    await append([event({ account: other, leaseId: lease, tokens: 1 })]);
    await fold();
    await slow.query('COMMIT');
    slow.release();
    expect((await figuresOf(account)).used).toBe(7n * RATE);
    await fold();
    expect(await figuresOf(account)).toMatchObject({ used: 7n * RATE, debits: 7n * RATE });
    await clean();
  });

  it('leaves younger rows, and wallets that are locked', async () => {
    const { account, leaseId } = await accountWithLease();
    await append([event({ account, leaseId, tokens: 1 })]);
    await gateway.query("SELECT metering.fold('1 hour', 10)");
    expect((await figuresOf(account)).debits).toBe(0n);
    await whileLocked(account, fold);
    expect((await figuresOf(account)).debits).toBe(0n);
    await fold();
    expect((await figuresOf(account)).debits).toBe(RATE);
  });

  it('counts the spending of keys, with a limit and without one', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100n * RATE });
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, {
      spendLimitPicos: 10n * RATE,
    });
    const limited = await draw(account, 10n * RATE, 10n * RATE, { key: apiKeyId });
    const free = await draw(account, 10n * RATE);
    const spent = async (id: string, source: string) =>
      (
        await database.pool.query<{ spent: bigint }>(
          `SELECT spent_picos AS spent FROM ${source} WHERE api_key_id = $1`,
          [id],
        )
      ).rows[0]!.spent;
    await append([
      event({ account, leaseId: limited.lease_id, tokens: 4, limited: true, apiKeyId }),
      event({ account, leaseId: free.lease_id, tokens: 3 }),
    ]);
    await clean();
    expect(await spent(apiKeyId, 'wallet.key_spending')).toBe(4n * RATE);
    expect(await spent(account.apiKeyId, 'wallet.key_spending')).toBe(3n * RATE);
    await gateway.query('SELECT wallet.return_lease($1, 0, true)', [limited.lease_id]);
    // What waits is still set aside from the limit.
    expect(await draw(account, 7n * RATE, 7n * RATE, { key: apiKeyId })).toMatchObject({
      refusal: 'key_limit',
    });
    await fold();
    expect(await spent(apiKeyId, 'wallet.key_budgets')).toBe(4n * RATE);
    expect(await spent(account.apiKeyId, 'wallet.key_budgets')).toBe(3n * RATE);
    expect(await draw(account, 7n * RATE, 7n * RATE, { key: apiKeyId })).toMatchObject({
      refusal: 'key_limit',
    });
    expect(await draw(account, 6n * RATE, 6n * RATE, { key: apiKeyId })).toMatchObject({
      granted_picos: 6n * RATE,
    });
    await clean();
  });

  it('lets a key spend no more than a limit that it has just got', async () => {
    const account = await insertAccount(database.pool, { balancePicos: 1_000n * RATE });
    const { apiKeyId } = account;
    const free = await draw(account, 100n * RATE);
    await database.pool.query('UPDATE wallet.key_budgets SET limit_picos = $2 WHERE api_key_id = $1', [
      apiKeyId,
      100n * RATE,
    ]);
    // Begun before, without a limit.
    await append([event({ account, leaseId: free.lease_id, tokens: 90 })]);
    const drawn = () => draw(account, 11n * RATE, 11n * RATE, { key: apiKeyId });
    expect(await drawn()).toMatchObject({ refusal: 'key_limit' });
    await fold();
    expect(await drawn()).toMatchObject({ refusal: 'key_limit' });
    expect(await draw(account, 10n * RATE, 10n * RATE, { key: apiKeyId })).toMatchObject({
      granted_picos: 10n * RATE,
    });
  });

  it('sets an account aside that cannot be folded, and goes on with the others', async () => {
    const bad = await accountWithLease();
    const good = await accountWithLease();
    for (const { account, leaseId } of [bad, good]) await append([event({ account, leaseId, tokens: 5 })]);
    const owner = (sql: string) => database.pool.query(sql, [bad.account.accountId]);
    await owner('UPDATE wallet.wallets SET leased_picos = 0 WHERE account_id = $1');
    expect(await fold()).toMatchObject({ set_aside: 1n });
    expect((await figuresOf(good.account)).debits).toBe(5n * RATE);
    expect(await figuresOf(bad.account)).toMatchObject({ used: 5n * RATE, debits: 0n });
    // It is charged and changed all the same, and not tried at every fold.
    expect(await settle([event({ account: bad.account, leaseId: null, tokens: 2 })])).toEqual([]);
    await gateway.query("SELECT metering.fold('0', 10)");
    await owner('SELECT metering.fold_account($1)');
    expect((await figuresOf(bad.account)).used).toBe(7n * RATE);
    expect(await fold()).toMatchObject({ folded: 0, set_aside: 2n });
    await owner('UPDATE wallet.wallets SET leased_picos = leased_picos + 50000 WHERE account_id = $1');
    await database.pool.query("UPDATE metering.unfolded_usage SET retry_at = now() - interval '1 second'");
    expect(await fold()).toMatchObject({ folded: 1, waiting: 0n, set_aside: 0n });
    await clean();
  });
});

describe('an hour whose usage waits', () => {
  // In the first hours of a month, an hour that has ended is one of the month before.
  beforeAll(() => {
    const now = new Date();
    const [former, current] = [1, 0].map((before) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before)).toISOString().slice(0, 10),
    ) as [string, string];
    return createPartitions(database.pool, former, current);
  });
  /** Moves what waits, with its events, into an hour that has ended. */
  const moveBack = async ({ accountId }: TestAccount) => {
    for (const [table, column] of [
      ['usage_events', 'occurred_at'],
      ['unfolded_usage', 'hour'],
    ])
      await database.pool.query(
        `UPDATE metering.${table} SET ${column} = ${column} - interval '3 hours' WHERE account_id = $1`,
        [accountId],
      );
    // In the first hours of a day that is an hour of another one.
    await database.pool.query(
      `UPDATE metering.unfolded_margins SET day = date_trunc('day', clock_timestamp() - interval '3 hours', 'UTC') WHERE account_id = $1`,
      [accountId],
    );
  };
  const rollUp = async () => {
    while (
      (await gateway.query<{ goes_on: boolean }>('SELECT metering.roll_up_hours() AS goes_on')).rows[0]!
        .goes_on
    );
  };
  const rolledInDays = async ({ accountId }: TestAccount) => {
    const { rows } = await database.pool.query<{ cost: bigint }>(
      'SELECT coalesce(sum(cost_picos), 0) AS cost FROM metering.daily_rollup WHERE account_id = $1',
      [accountId],
    );
    return rows[0]!.cost;
  };

  it('is folded before it is rolled up', async () => {
    const { account, leaseId } = await accountWithLease();
    await append([event({ account, leaseId, tokens: 6 })]);
    await moveBack(account);
    await rollUp();
    expect(await rolledInDays(account)).toBe(6n * RATE);
    expect((await figuresOf(account)).debits).toBe(6n * RATE);
    await clean();
  });

  it('is not rolled up while its usage is set aside', async () => {
    const { account, leaseId } = await accountWithLease();
    await append([event({ account, leaseId, tokens: 6 })]);
    await database.pool.query('UPDATE metering.rollup_progress SET rolled_until = NULL');
    for (const table of ['daily_rollup', 'monthly_rollup', 'account_daily_costs', 'account_monthly_costs'])
      await database.pool.query(`DELETE FROM metering.${table}`);
    for (const table of ['site_hourly_costs', 'site_daily_costs', 'site_monthly_costs'])
      await database.pool.query(`DELETE FROM metering.${table}`);
    await moveBack(account);
    await database.pool.query("UPDATE metering.unfolded_usage SET retry_at = now() + interval '1 minute'");
    // Usage of others goes on meanwhile, and their earlier hours are rolled up.
    const other = await accountWithLease();
    await append([event({ account: other.account, leaseId: other.leaseId, tokens: 1 })]);
    await rollUp();
    expect(await rolledInDays(account)).toBe(0n);
    await clean();
    await database.pool.query('UPDATE metering.unfolded_usage SET retry_at = NULL');
    await rollUp();
    expect(await rolledInDays(account)).toBe(6n * RATE);
    await clean();
  });
});

it('keeps all sums consistent and no balance negative for any mix of draws, appends, folds, settlements and returns', async () => {
  const step = fc.record({
    who: fc.nat({ max: 2 }),
    draw: fc.bigInt({ min: 0n, max: 40n * RATE }),
    ttl: fc.constantFrom(0, 60),
    tokens: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
    close: fc.boolean(),
    fold: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const opening = [0n, 50n, 200n].map((tokens) => tokens * RATE);
      const accounts = await Promise.all(
        opening.map((balancePicos) => insertAccount(database.pool, { balancePicos })),
      );
      const charged = accounts.map(() => 0n);
      const run = async (one: (typeof steps)[number]) => {
        const account = accounts[one.who]!;
        const { lease_id: leaseId } = await draw(account, one.draw, one.draw + 5n, { ttl: one.ttl });
        const batch = one.tokens.map((count) => event({ account, leaseId, tokens: count }));
        if (batch.length > 0) {
          const left = new Set(await append(batch));
          const beyond = batch.filter(({ request_id }) => left.has(request_id));
          const refused = new Set(beyond.length > 0 ? await settle(beyond) : []);
          for (const { request_id, cost_picos } of batch)
            if (!refused.has(request_id)) charged[one.who]! += BigInt(cost_picos);
        }
        if (one.close && leaseId) await gateway.query('SELECT wallet.return_lease($1, 0, true)', [leaseId]);
        if (one.fold) await fold();
      };
      await Promise.all(steps.map(run));
      const figures = await Promise.all(accounts.map(figuresOf));
      expect(figures.map(({ balance }) => balance)).toEqual(opening.map((picos, i) => picos - charged[i]!));
      expect(figures.map(({ used }) => used)).toEqual(charged);
    }),
    { numRuns: 25 },
  );
  await clean();
  await fold();
  await clean();
});
