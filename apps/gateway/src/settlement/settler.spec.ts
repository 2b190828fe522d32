import { Logger } from '@nestjs/common';
import { createPool, NotificationChannel, type SqlPool } from '@inference/database';
import { charge, reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readGatewayConfig } from '../config';
import { OpenAiError } from '../errors/openai-error';
import {
  eventsOf,
  publish,
  RATES,
  startWire,
  testEnvironment,
  type Wire,
  UNITY,
  walletOf,
} from '../gateway.fixture';
import { type Hold } from '../leases/lease';
import { LeaseDesk } from '../leases/lease-desk';
import { LeaseStore } from '../leases/lease-store';
import { Settler } from './settler';
import { type UsageEvent } from './usage-event';

const OPENING = 10n ** 12n;
const TOKENS = { inputTokens: 10, outputTokens: 5 };
const COST = charge(RATES, TOKENS, UNITY).costPicos;
const HELD = COST * 3n;

let database: TestDatabase;
let pool: SqlPool;
let wire: Wire;
let desk: LeaseDesk;
let settler: Settler;
let hasty: Settler;
let priceListId: bigint;
let sequence = 0;

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
  wire = await startWire(database.urlFor('gateway'));
  priceListId = await publish(database.pool, { m: RATES });
  const { url } = wire;
  const environment = testEnvironment(url, [{ name: 'none', base_url: 'http://127.0.0.1:9' }]);
  const config = readGatewayConfig(environment);
  pool = createPool({ url, applicationName: 'settler', size: 4 });
  desk = new LeaseDesk(new LeaseStore(pool, config), config, new NotificationChannel(url, 'settler'));
  settler = new Settler(pool, config);
  hasty = new Settler(pool, readGatewayConfig({ ...environment, SETTLEMENT_PATIENCE_SECONDS: '0.3' }));
});
afterAll(async () => {
  await settler.onApplicationShutdown();
  await pool.end();
  await wire.close();
  await database.drop();
});

const account = () => insertAccount(database.pool, { balancePicos: OPENING });
const holdFor = ({ accountId, apiKeyId }: TestAccount, amountPicos = HELD): Promise<Hold> =>
  desk.hold(
    { accountId, role: 'user', apiKey: { id: apiKeyId, spendLimited: false, allowedModels: null } },
    amountPicos,
  );

const event = (of: TestAccount, overrides: Partial<UsageEvent> = {}): UsageEvent => ({
  requestId: `req_${++sequence}`,
  startedAt: new Date(),
  accountId: of.accountId,
  apiKeyId: of.apiKeyId,
  model: 'm',
  entrypoint: 'gateway',
  endpoint: 'chat/completions',
  upstream: 'u',
  outcome: 'completed',
  ...TOKENS,
  estimated: false,
  priceListId,
  usdPerUnit: UNITY,
  charge: charge(RATES, TOKENS, UNITY),
  ...overrides,
});

/** The status and code of a refusal. */
async function refusalOf(settlement: Promise<void>): Promise<[number, string]> {
  const error = await settlement.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenAiError);
  const refused = error as OpenAiError;
  return [refused.getStatus(), (refused.getResponse() as { error: { code: string } }).error.code];
}

const settlementsOf = async (events: UsageEvent[]) => {
  const { rows } = await database.pool.query(
    'SELECT DISTINCT settlement_id FROM metering.usage_events WHERE request_id = ANY ($1)',
    [events.map(({ requestId }) => requestId)],
  );
  return rows.length;
};

const settlerBackends = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'settler'`;

/** Makes settlements of the account wait until the release; their backends wait for the wallet's lock. */
async function lockWallet({ accountId }: TestAccount): Promise<() => Promise<void>> {
  const client = await database.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM wallet.wallets WHERE account_id = $1 FOR UPDATE', [accountId]);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

const waitingBackend = () =>
  waitFor(async () => {
    const { rows } = await database.pool.query<{ pid: number }>(
      `${settlerBackends} AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.pid;
  });

describe('Settler', () => {
  it('writes one event, debits it and frees the rest of its hold', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const leaseBefore = hold.lease!.remainingPicos;
    await settler.settle(event(of), hold);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: leaseBefore + HELD - COST });
    expect(await eventsOf(database.pool, of.accountId)).toMatchObject([
      { cost_picos: COST, input_tokens: 10n },
    ]);
    const wallet = await walletOf(database.pool, of.accountId);
    expect(wallet).toMatchObject({ balance: OPENING - COST, rolled_up: COST });
    expect(wallet.leased).toBe(hold.lease!.remainingPicos);
  });

  it('commits what comes together together', async () => {
    const accounts = await Promise.all([account(), account()]);
    const events = Array.from({ length: 300 }, (_, i) => event(accounts[i % 2]!));
    const holds = await Promise.all(events.map((_, i) => holdFor(accounts[i % 2]!)));
    await Promise.all(events.map((one, i) => settler.settle(one, holds[i]!)));
    expect(await settlementsOf(events)).toBe(1);
    for (const of of accounts) {
      expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 150n * COST });
    }
  });

  it('collects what arrives while it writes', async () => {
    const of = await account();
    const events = Array.from({ length: 200 }, () => event(of));
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const release = await lockWallet(of);
    const first = settler.settle(events[0]!, holds[0]!);
    await waitingBackend();
    const others = events.slice(1).map((one, i) => settler.settle(one, holds[i + 1]!));
    await release();
    await Promise.all([first, ...others]);
    expect(await settlementsOf(events)).toBe(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 200n * COST });
  });

  it('tries again when its connection breaks before the commit', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const release = await lockWallet(of);
    const settlement = settler.settle(event(of), hold);
    await database.pool.query('SELECT pg_terminate_backend($1)', [await waitingBackend()]);
    await release();
    await settlement;
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('debits once when its connection breaks after the commit, before the confirmation', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const cutsBefore = wire.cuts();
    wire.cutAtNextAnswer();
    await settler.settle(event(of), hold);
    expect(wire.cuts()).toBe(cutsBefore + 1);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('does not let one event that cannot be stored take others with it', async () => {
    const of = await account();
    const events = [event(of), event(of, { model: 'nul\0' }), event(of)];
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const [first, poison, last] = events.map((one, i) => settler.settle(one, holds[i]!));
    expect(await refusalOf(poison!)).toEqual([503, 'billing_unavailable']);
    await Promise.all([first, last]);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('sends no event under another id once it may have been written', async () => {
    const of = await account();
    const events = [event(of), event(of)];
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const send = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    let attempts = 0;
    // The first attempt is written, but its confirmation is lost; the second fails as no later one would.
    wire.cutAtNextAnswer();
    const query = jest.spyOn(pool, 'query').mockImplementation(((...args: unknown[]) => {
      if (!JSON.stringify(args).includes('metering.settle')) return send(...args);
      const failure = Object.assign(new Error('permission denied'), { code: '42501' });
      return ++attempts === 2 ? Promise.reject(failure) : send(...args);
    }) as typeof pool.query);
    const refusals = await Promise.all(events.map((one, i) => refusalOf(settler.settle(one, holds[i]!))));
    query.mockRestore();
    expect(refusals).toEqual([
      [503, 'billing_unavailable'],
      [503, 'billing_unavailable'],
    ]);
    expect(attempts).toBe(2);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('gives up when its patience ends, and counts the money as gone until the lease ends', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    const startedAt = performance.now();
    wire.down();
    const refusal = await refusalOf(hasty.settle(event(of), hold)).finally(() => wire.up());
    expect(refusal).toEqual([503, 'billing_unavailable']);
    // It was not the first failure that ended it.
    expect(performance.now() - startedAt).toBeGreaterThan(100);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: remaining });
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(0);
    const again = await waitFor(() => holdFor(of));
    await settler.settle(event(of), again);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
  });

  it('gives up when its patience ends though the database neither answers nor fails', async () => {
    const of = await account();
    const hold = await holdFor(of);
    // A connection for each of the two statements below.
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.1)')));
    wire.freeze();
    // Any other statement is given more time than the settlement has.
    const other = pool.query('SELECT 1').catch(() => null);
    const refusal = await Promise.race([refusalOf(hasty.settle(event(of), hold)), other]);
    wire.thaw();
    expect(refusal).toEqual([503, 'billing_unavailable']);
    await other;
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(0);
  });

  it('goes on by itself when the database comes back in time', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const refusalsBefore = wire.refusals();
    wire.down();
    const settlement = settler.settle(event(of), hold);
    await waitFor(() => wire.refusals() >= refusalsBefore + 2);
    wire.up();
    await settlement;
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
  });

  it('refuses what neither the lease nor the wallet covers', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const usage = { inputTokens: 10_000_000, outputTokens: 0 };
    const tooMuch = event(of, { ...usage, charge: charge(RATES, usage, UNITY) });
    expect(await refusalOf(settler.settle(tooMuch, hold))).toEqual([402, 'insufficient_balance']);
    expect(hold.lease!.heldPicos).toBe(hold.amountPicos);
    hold.release();
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING, rolled_up: 0n });
  });

  it('takes what exceeds the hold out of the wallet', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const usage = { inputTokens: 4_000_000, outputTokens: 0 };
    const more = event(of, { ...usage, charge: charge(RATES, usage, UNITY) });
    await settler.settle(more, hold);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({
      balance: OPENING - more.charge.costPicos,
    });
  });

  it('waits for what is under way before it stops', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const release = await lockWallet(of);
    let settled = false;
    const settlement = settler.settle(event(of), hold).then(() => (settled = true));
    await waitingBackend();
    const stopped = settler.onApplicationShutdown().then(() => settled);
    await release();
    expect(await stopped).toBe(true);
    await settlement;
  });

  it('leaves books that agree', async () => {
    expect(await reconcile(database.pool)).toEqual([]);
  });
});
