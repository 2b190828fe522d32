import { Metrics } from '@inference/http';
import { charge, countsOf, reconcile } from '@inference/metering';
import { valueOf, waitFor } from '@inference/testing';
import { eventsOf, RATES, UNITY, walletOf } from '../testing/gateway.fixture';
import { SettlementBatcher } from './settlement-batcher';
import { UsageFolder } from './usage-folder';
import { SettlementMetrics } from './settlement-metrics';
import {
  COST,
  HELD,
  OPENING,
  refusalOf,
  type SettlementSite,
  startSettlementSite,
} from './settlement.fixture';

let site: SettlementSite;

beforeAll(async () => {
  site = await startSettlementSite();
});
afterAll(() => site.stop());

/** Many times what a settlement takes that gives up because the process stops. */
const PATIENCE_SECONDS = 60;

describe('SettlementBatcher', () => {
  it('writes one event, debits it and frees the rest of its hold', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const leaseBefore = hold.lease!.remainingPicos;
    await site.batcher.settle(site.event(of), hold);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: leaseBefore + HELD - COST });
    expect(await eventsOf(site.database.pool, of.accountId)).toMatchObject([
      { cost_picos: COST, input_tokens: 10n },
    ]);
    const wallet = await walletOf(site.database.pool, of.accountId);
    expect(wallet).toMatchObject({ balance: OPENING - COST, rolled_up: COST });
    expect(wallet.leased).toBe(hold.lease!.remainingPicos);
  });

  it('commits simultaneous events in one batch', async () => {
    const accounts = await Promise.all([site.account(), site.account()]);
    const events = Array.from({ length: 300 }, (_, i) => site.event(accounts[i % 2]!));
    const holds = await Promise.all(events.map((_, i) => site.holdFor(accounts[i % 2]!)));
    await Promise.all(events.map((one, i) => site.batcher.settle(one, holds[i]!)));
    expect(await site.settlementsOf(events)).toBe(1);
    for (const of of accounts) {
      expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({
        balance: OPENING - 150n * COST,
      });
    }
  });

  it('collects events that arrive while a batch is being written', async () => {
    const of = await site.account();
    const events = Array.from({ length: 200 }, () => site.event(of));
    const holds = await Promise.all(events.map(() => site.holdFor(of)));
    const release = await site.lockLeases(of);
    const first = site.batcher.settle(events[0]!, holds[0]!);
    await site.waitingBackend();
    const others = events.slice(1).map((one, i) => site.batcher.settle(one, holds[i + 1]!));
    await release();
    await Promise.all([first, ...others]);
    expect(await site.settlementsOf(events)).toBe(2);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({
      balance: OPENING - 200n * COST,
    });
  });

  it('retries when its connection breaks before the commit', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const release = await site.lockLeases(of);
    const settlement = site.batcher.settle(site.event(of), hold);
    await site.database.pool.query('SELECT pg_terminate_backend($1)', [await site.waitingBackend()]);
    await release();
    await settlement;
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('debits once when its connection breaks after the commit, before the confirmation', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const disconnectsBefore = site.databaseProxy.disconnects();
    site.databaseProxy.disconnectAtNextResponse();
    await site.batcher.settle(site.event(of), hold);
    expect(site.databaseProxy.disconnects()).toBe(disconnectsBefore + 1);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('settles the other events of a batch when one cannot be stored', async () => {
    const of = await site.account();
    const events = [site.event(of), site.event(of, { model: 'nul\0' }), site.event(of)];
    const holds = await Promise.all(events.map(() => site.holdFor(of)));
    const [first, poison, last] = events.map((one, i) => site.batcher.settle(one, holds[i]!));
    expect(await refusalOf(poison!)).toEqual([503, 'billing_unavailable']);
    // The last one has been sent now, and its answer has not been read.
    await new Promise(setImmediate);
    expect(valueOf(await site.metrics.registry.metrics(), 'gateway_unsettled_events')).toBe(1);
    await Promise.all([first, last]);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('continues when the database is back within the retry timeout', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const refusalsBefore = site.databaseProxy.refusals();
    site.databaseProxy.down();
    const settlement = site.batcher.settle(site.event(of), hold);
    await waitFor(() => site.databaseProxy.refusals() >= refusalsBefore + 2);
    site.databaseProxy.up();
    await settlement;
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
  });

  it('rejects an event that neither the lease nor the wallet covers', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const usage = { inputTokens: 10_000_000, outputTokens: 0 };
    const tooMuch = site.event(of, { ...usage, charge: charge(RATES, countsOf(usage), UNITY) });
    expect(await refusalOf(site.batcher.settle(tooMuch, hold))).toEqual([402, 'insufficient_balance']);
    expect(hold.lease!.heldPicos).toBe(hold.amountPicos);
    hold.release();
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({
      balance: OPENING,
      rolled_up: 0n,
    });
  });

  it('debits the cost beyond the hold from the wallet', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const usage = { inputTokens: 4_000_000, outputTokens: 0 };
    const more = site.event(of, { ...usage, charge: charge(RATES, countsOf(usage), UNITY) });
    await site.batcher.settle(more, hold);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({
      balance: OPENING - more.charge.costPicos,
    });
  });

  it('waits for running settlements at shutdown', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const release = await site.lockLeases(of);
    let settled = false;
    const settlement = site.batcher.settle(site.event(of), hold).then(() => (settled = true));
    await site.waitingBackend();
    const stopped = site.batcher.onApplicationShutdown().then(() => settled);
    await release();
    expect(await stopped).toBe(true);
    await settlement;
  });

  it('gives up soon after the process begins to stop without a database', async () => {
    const patient = new SettlementBatcher(
      site.pool,
      { retryTimeoutSeconds: PATIENCE_SECONDS },
      new SettlementMetrics(new Metrics()),
      new UsageFolder(site.pool, new Metrics()),
    );
    const of = await site.account();
    const [begunBefore, begunAfter] = [await site.holdFor(of), await site.holdFor(of)];
    site.databaseProxy.down();
    const first = refusalOf(patient.settle(site.event(of), begunBefore));
    const startedAt = performance.now();
    patient.onModuleDestroy();
    patient.beforeApplicationShutdown();
    const second = refusalOf(patient.settle(site.event(of), begunAfter));
    await patient.onApplicationShutdown().finally(() => site.databaseProxy.up());
    expect(performance.now() - startedAt).toBeLessThan(PATIENCE_SECONDS * 1_000);
    const unknown = [503, 'billing_unknown'];
    expect(await Promise.all([first, second])).toEqual([unknown, unknown]);
  });

  it('leaves a consistent ledger', async () => {
    expect(await reconcile(site.database.pool)).toEqual([]);
  });
});
