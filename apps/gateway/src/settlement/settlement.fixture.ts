import { NotificationChannel } from '@inference/database';
import { Metrics } from '@inference/http';
import { charge, countsOf } from '@inference/metering';
import { createTestDatabase, insertAccount, type TestAccount, TestPool, waitFor } from '@inference/testing';
import { Logger } from '@nestjs/common';
import { readGatewayConfig } from '../config';
import { ENTITIES } from '../entities';
import { GatewayError, toOpenAiError } from '../errors/openai-error';
import { type Hold } from '../leases/lease';
import { LeaseManager } from '../leases/lease-manager';
import { LeaseRepository } from '../leases/lease.repository';
import { publish, RATES, startDatabaseProxy, testEnvironment, UNITY } from '../testing/gateway.fixture';
import { SettlementBatcher } from './settlement-batcher';
import { UsageFolder } from './usage-folder';
import { SettlementMetrics } from './settlement-metrics';
import { type UsageEvent } from './usage-event';

export const OPENING = 10n ** 12n;
const TOKENS = { inputTokens: 10, outputTokens: 5 };
export const COST = charge(RATES, countsOf(TOKENS), UNITY).costPicos;
export const HELD = COST * 3n;

export type SettlementSite = Awaited<ReturnType<typeof startSettlementSite>>;

/** A database behind a proxy, and two batchers on it: one with the usual patience, and an impatient one. */
export async function startSettlementSite() {
  Logger.overrideLogger(false);
  const database = await createTestDatabase(ENTITIES);
  const databaseProxy = await startDatabaseProxy(database.urlFor('gateway'));
  const priceListId = await publish(database.pool, { m: RATES, slow: RATES });
  const { url } = databaseProxy;
  const environment = testEnvironment(url, [{ name: 'none', base_url: 'http://127.0.0.1:9' }]);
  const config = readGatewayConfig(environment);
  const pool = TestPool.of({ url, applicationName: 'settlement', size: 4 });
  const leases = new LeaseManager(
    new LeaseRepository(pool, config.leases),
    config.leases,
    new NotificationChannel(url, 'settlement'),
  );
  const metrics = new Metrics();
  const impatientMetrics = new Metrics();
  // Without its timer: usage is folded when a test says so.
  const folder = new UsageFolder(pool, metrics);
  const batcher = new SettlementBatcher(pool, config.settlement, new SettlementMetrics(metrics), folder);
  const impatient = new SettlementBatcher(
    pool,
    { retryTimeoutSeconds: 0.3 },
    new SettlementMetrics(impatientMetrics),
    new UsageFolder(pool, impatientMetrics),
  );
  const settlementBackends = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'settlement'`;
  let sequence = 0;
  return {
    database,
    databaseProxy,
    pool,
    metrics,
    impatientMetrics,
    batcher,
    impatient,
    settlementBackends,
    account: () => insertAccount(database.pool, { balancePicos: OPENING }),
    holdFor: ({ accountId, apiKeyId }: TestAccount, amountPicos = HELD): Promise<Hold> =>
      leases.hold(
        {
          accountId,
          role: 'user',
          apiKey: { id: apiKeyId, spendLimited: false, allowedModels: null, reportsCost: true },
        },
        amountPicos,
      ),
    event: (of: TestAccount, overrides: Partial<UsageEvent> = {}): UsageEvent => ({
      requestId: `req_${++sequence}`,
      clientRequestId: undefined,
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
      usageFault: null,
      durationMs: 12,
      timeToFirstTokenMs: null,
      finishReason: null,
      priceListId,
      usdPerUnit: UNITY,
      charge: charge(RATES, countsOf(TOKENS), UNITY),
      costs: [],
      ...overrides,
    }),
    settlementsOf: async (events: UsageEvent[]) => {
      const { rows } = await database.pool.query(
        'SELECT DISTINCT settlement_id FROM metering.usage_events WHERE request_id = ANY ($1)',
        [events.map(({ requestId }) => requestId)],
      );
      return rows.length;
    },
    refusedRequestsOf: async ({ accountId }: TestAccount) => {
      const { rows } = await database.pool.query<{ request_id: string }>(
        'SELECT request_id FROM metering.refused_requests WHERE account_id = $1',
        [accountId],
      );
      return rows.map(({ request_id }) => request_id);
    },
    /** Lets settlements of the model `slow` take this long, in a wait that is no lock. */
    slowDown: (seconds: number) =>
      database.pool.query(`
        CREATE OR REPLACE FUNCTION metering.linger() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_catalog.pg_sleep(${seconds});
          RETURN NULL;
        END $$;
        CREATE OR REPLACE TRIGGER linger AFTER INSERT ON metering.usage_events FOR EACH ROW WHEN (NEW.model = 'slow')
        EXECUTE FUNCTION metering.linger()`),
    /** Blocks settlements of the account until the release, by a lock on its leases. */
    lockLeases: async ({ accountId }: TestAccount): Promise<() => Promise<void>> => {
      const client = await database.pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT FROM wallet.leases WHERE account_id = $1 FOR UPDATE', [accountId]);
      return async () => {
        await client.query('COMMIT');
        client.release();
      };
    },
    waitingBackend: () =>
      waitFor(async () => {
        const { rows } = await database.pool.query<{ pid: number }>(
          `${settlementBackends} AND wait_event_type = 'Lock'`,
        );
        return rows[0]?.pid;
      }),
    stop: async () => {
      await batcher.onApplicationShutdown();
      await impatient.onApplicationShutdown();
      await pool.end();
      await databaseProxy.close();
      await database.drop();
    },
  };
}

/** Returns status and code of the error. */
export async function refusalOf(settlement: Promise<void>): Promise<[number, string]> {
  const error = await settlement.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const refused = error as GatewayError;
  return [toOpenAiError(refused).status, refused.code];
}
