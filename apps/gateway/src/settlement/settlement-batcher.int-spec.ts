import { Logger } from '@nestjs/common';
import { NotificationChannel } from '@inference/database';
import { Metrics } from '@inference/http';
import { charge, reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  type TestAccount,
  type TestDatabase,
  TestPool,
  valueOf,
  waitFor,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { readGatewayConfig } from '../config';
import { GatewayError } from '../errors/gateway-error';
import { toOpenAiError } from '../errors/openai-error';
import {
  eventsOf,
  publish,
  RATES,
  startDatabaseProxy,
  testEnvironment,
  type DatabaseProxy,
  UNITY,
  walletOf,
} from '../testing/gateway.fixture';
import { type Hold } from '../leases/lease';
import { LeaseManager } from '../leases/lease-manager';
import { LeaseRepository } from '../leases/lease.repository';
import { SettlementBatcher } from './settlement-batcher';
import { SettlementMetrics } from './settlement-metrics';
import { type UsageEvent } from './usage-event';

const OPENING = 10n ** 12n;
const TOKENS = { inputTokens: 10, outputTokens: 5 };
const COST = charge(RATES, TOKENS, UNITY).costPicos;
const HELD = COST * 3n;

let database: TestDatabase;
let pool: TestPool;
let databaseProxy: DatabaseProxy;
let leases: LeaseManager;
/** Of the batcher. */
const metrics = new Metrics();
const impatientMetrics = new Metrics();
let batcher: SettlementBatcher;
let impatient: SettlementBatcher;
let priceListId: bigint;
let sequence = 0;

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase(ENTITIES);
  databaseProxy = await startDatabaseProxy(database.urlFor('gateway'));
  priceListId = await publish(database.pool, { m: RATES });
  const { url } = databaseProxy;
  const environment = testEnvironment(url, [{ name: 'none', base_url: 'http://127.0.0.1:9' }]);
  const config = readGatewayConfig(environment);
  pool = TestPool.of({ url, applicationName: 'settlement', size: 4 });
  leases = new LeaseManager(
    new LeaseRepository(pool, config.leases),
    config.leases,
    new NotificationChannel(url, 'settlement'),
  );
  batcher = new SettlementBatcher(pool, config.settlement, new SettlementMetrics(metrics));
  impatient = new SettlementBatcher(
    pool,
    { retryTimeoutSeconds: 0.3 },
    new SettlementMetrics(impatientMetrics),
  );
});
afterAll(async () => {
  await batcher.onApplicationShutdown();
  await pool.end();
  await databaseProxy.close();
  await database.drop();
});

const account = () => insertAccount(database.pool, { balancePicos: OPENING });
const holdFor = ({ accountId, apiKeyId }: TestAccount, amountPicos = HELD): Promise<Hold> =>
  leases.hold(
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

/** Returns status and code of the error. */
async function refusalOf(settlement: Promise<void>): Promise<[number, string]> {
  const error = await settlement.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const refused = error as GatewayError;
  return [toOpenAiError(refused).status, refused.code];
}

const settlementsOf = async (events: UsageEvent[]) => {
  const { rows } = await database.pool.query(
    'SELECT DISTINCT settlement_id FROM metering.usage_events WHERE request_id = ANY ($1)',
    [events.map(({ requestId }) => requestId)],
  );
  return rows.length;
};

const settlementBackends = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'settlement'`;

const refusedRequestsOf = async ({ accountId }: TestAccount) => {
  const { rows } = await database.pool.query<{ request_id: string }>(
    'SELECT request_id FROM metering.refused_requests WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ request_id }) => request_id);
};

/** Lets settlements of the model `slow` take this long, in a wait that is no lock. */
async function slowDown(seconds: number): Promise<void> {
  await database.pool.query(`
    CREATE OR REPLACE FUNCTION metering.linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_catalog.pg_sleep(${seconds});
      RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER linger AFTER INSERT ON metering.usage_events FOR EACH ROW WHEN (NEW.model = 'slow')
    EXECUTE FUNCTION metering.linger()`);
}

/** Blocks settlements of the account until the release, by a lock on the wallet. */
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
      `${settlementBackends} AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.pid;
  });

describe('SettlementBatcher', () => {
  it('writes one event, debits it and frees the rest of its hold', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const leaseBefore = hold.lease!.remainingPicos;
    await batcher.settle(event(of), hold);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: leaseBefore + HELD - COST });
    expect(await eventsOf(database.pool, of.accountId)).toMatchObject([
      { cost_picos: COST, input_tokens: 10n },
    ]);
    const wallet = await walletOf(database.pool, of.accountId);
    expect(wallet).toMatchObject({ balance: OPENING - COST, rolled_up: COST });
    expect(wallet.leased).toBe(hold.lease!.remainingPicos);
  });

  it('commits simultaneous events in one batch', async () => {
    const accounts = await Promise.all([account(), account()]);
    const events = Array.from({ length: 300 }, (_, i) => event(accounts[i % 2]!));
    const holds = await Promise.all(events.map((_, i) => holdFor(accounts[i % 2]!)));
    await Promise.all(events.map((one, i) => batcher.settle(one, holds[i]!)));
    expect(await settlementsOf(events)).toBe(1);
    for (const of of accounts) {
      expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 150n * COST });
    }
  });

  it('collects events that arrive while a batch is being written', async () => {
    const of = await account();
    const events = Array.from({ length: 200 }, () => event(of));
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const release = await lockWallet(of);
    const first = batcher.settle(events[0]!, holds[0]!);
    await waitingBackend();
    const others = events.slice(1).map((one, i) => batcher.settle(one, holds[i + 1]!));
    await release();
    await Promise.all([first, ...others]);
    expect(await settlementsOf(events)).toBe(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 200n * COST });
  });

  it('retries when its connection breaks before the commit', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const release = await lockWallet(of);
    const settlement = batcher.settle(event(of), hold);
    await database.pool.query('SELECT pg_terminate_backend($1)', [await waitingBackend()]);
    await release();
    await settlement;
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('debits once when its connection breaks after the commit, before the confirmation', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const disconnectsBefore = databaseProxy.disconnects();
    databaseProxy.disconnectAtNextResponse();
    await batcher.settle(event(of), hold);
    expect(databaseProxy.disconnects()).toBe(disconnectsBefore + 1);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('settles the other events of a batch when one cannot be stored', async () => {
    const of = await account();
    const events = [event(of), event(of, { model: 'nul\0' }), event(of)];
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const [first, poison, last] = events.map((one, i) => batcher.settle(one, holds[i]!));
    expect(await refusalOf(poison!)).toEqual([503, 'billing_unavailable']);
    // The last one has been sent now, and its answer has not been read.
    await new Promise(setImmediate);
    expect(valueOf(await metrics.registry.metrics(), 'gateway_unsettled_events')).toBe(1);
    await Promise.all([first, last]);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('does not write events under another batch id once they may have been committed', async () => {
    const of = await account();
    const events = [event(of), event(of)];
    const holds = await Promise.all(events.map(() => holdFor(of)));
    const send = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    let attempts = 0;
    // The first attempt is committed, but its confirmation is lost. The second one fails with a permanent error.
    databaseProxy.disconnectAtNextResponse();
    const query = jest.spyOn(pool, 'query').mockImplementation(((...args: unknown[]) => {
      if (!JSON.stringify(args).includes('metering.settle')) return send(...args);
      const failure = Object.assign(new Error('permission denied'), { code: '42501' });
      return ++attempts === 2 ? Promise.reject(failure) : send(...args);
    }) as typeof pool.query);
    // The refusal finds that the first attempt was committed.
    await Promise.all(events.map((one, i) => batcher.settle(one, holds[i]!))).finally(() =>
      query.mockRestore(),
    );
    expect(attempts).toBe(2);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('says that the charge is unknown while the database is away, and refuses the batch when it is back', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    const one = event(of);
    const startedAt = performance.now();
    databaseProxy.down();
    const refusal = await refusalOf(impatient.settle(one, hold));
    expect(refusal).toEqual([503, 'billing_unknown']);
    // It was retried after the first failure.
    expect(performance.now() - startedAt).toBeGreaterThan(100);
    // What the proxy does at the end of a request has no effect.
    hold.release();
    expect(hold.lease).toMatchObject({ heldPicos: HELD, remainingPicos: remaining });
    expect(valueOf(await impatientMetrics.registry.metrics(), 'gateway_undecided_events')).toBe(1);
    databaseProxy.up();
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(hold.lease!.remainingPicos).toBe(remaining + HELD);
    expect(await refusedRequestsOf(of)).toEqual([one.requestId]);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(0);
    expect(valueOf(await impatientMetrics.registry.metrics(), 'gateway_undecided_events')).toBe(0);
    const again = await waitFor(() => holdFor(of));
    await batcher.settle(event(of), again);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
  });

  it('charges an unknown batch that was committed after all', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    await slowDown(1);
    const settlement = refusalOf(impatient.settle(event(of, { model: 'slow' }), hold));
    await waitFor(async () => {
      const { rows } = await database.pool.query(`${settlementBackends} AND wait_event = 'PgSleep'`);
      return rows.length > 0;
    });
    databaseProxy.down();
    expect(await settlement).toEqual([503, 'billing_unknown']);
    databaseProxy.up();
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(hold.lease!.remainingPicos).toBe(remaining + HELD - COST);
    expect(await refusedRequestsOf(of)).toEqual([]);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('does not know the charge either when the database does not answer at all', async () => {
    const of = await account();
    const hold = await holdFor(of);
    // Opens a connection for each of the two statements below.
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.1)')));
    databaseProxy.blackhole();
    // The time limit of other statements is longer than that of a settlement.
    const other = pool.query('SELECT 1').catch(() => null);
    const refusal = await Promise.race([refusalOf(impatient.settle(event(of), hold)), other]);
    databaseProxy.endBlackhole();
    expect(refusal).toEqual([503, 'billing_unknown']);
    await other;
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(0);
  });

  it('refuses a settlement that waits for a lock for too long, which then never happens', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    const one = event(of);
    const release = await lockWallet(of);
    expect(await refusalOf(impatient.settle(one, hold)).finally(release)).toEqual([
      503,
      'billing_unavailable',
    ]);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: remaining + HELD });
    expect(await refusedRequestsOf(of)).toEqual([one.requestId]);
    await waitFor(async () => {
      const { rows } = await database.pool.query(`${settlementBackends} AND state = 'active'`);
      return rows.length === 0;
    });
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(0);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING, rolled_up: 0n });
  });

  it('completes a request whose settlement is committed after the retry timeout', async () => {
    const of = await account();
    const hold = await holdFor(of);
    await slowDown(1.5);
    await impatient.settle(event(of, { model: 'slow' }), hold);
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
    expect(await refusedRequestsOf(of)).toEqual([]);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('does not wait at shutdown for a database that is away', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const stopping = new SettlementBatcher(
      pool,
      { retryTimeoutSeconds: 0.3 },
      new SettlementMetrics(new Metrics()),
    );
    databaseProxy.down();
    expect(await refusalOf(stopping.settle(event(of), hold))).toEqual([503, 'billing_unknown']);
    stopping.beforeApplicationShutdown();
    // The lease manager waits until no request holds money.
    await waitFor(() => hold.lease!.heldPicos === 0n, 15_000).finally(() => databaseProxy.up());
    expect(hold.lease!.isValid).toBe(false);
    await stopping.onApplicationShutdown();
  });

  it('continues when the database is back within the retry timeout', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const refusalsBefore = databaseProxy.refusals();
    databaseProxy.down();
    const settlement = batcher.settle(event(of), hold);
    await waitFor(() => databaseProxy.refusals() >= refusalsBefore + 2);
    databaseProxy.up();
    await settlement;
    expect(await eventsOf(database.pool, of.accountId)).toHaveLength(1);
  });

  it('rejects an event that neither the lease nor the wallet covers', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const usage = { inputTokens: 10_000_000, outputTokens: 0 };
    const tooMuch = event(of, { ...usage, charge: charge(RATES, usage, UNITY) });
    expect(await refusalOf(batcher.settle(tooMuch, hold))).toEqual([402, 'insufficient_balance']);
    expect(hold.lease!.heldPicos).toBe(hold.amountPicos);
    hold.release();
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({ balance: OPENING, rolled_up: 0n });
  });

  it('debits the cost beyond the hold from the wallet', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const usage = { inputTokens: 4_000_000, outputTokens: 0 };
    const more = event(of, { ...usage, charge: charge(RATES, usage, UNITY) });
    await batcher.settle(more, hold);
    expect(await walletOf(database.pool, of.accountId)).toMatchObject({
      balance: OPENING - more.charge.costPicos,
    });
  });

  it('waits for running settlements at shutdown', async () => {
    const of = await account();
    const hold = await holdFor(of);
    const release = await lockWallet(of);
    let settled = false;
    const settlement = batcher.settle(event(of), hold).then(() => (settled = true));
    await waitingBackend();
    const stopped = batcher.onApplicationShutdown().then(() => settled);
    await release();
    expect(await stopped).toBe(true);
    await settlement;
  });

  it('leaves a consistent ledger', async () => {
    expect(await reconcile(database.pool)).toEqual([]);
  });
});
