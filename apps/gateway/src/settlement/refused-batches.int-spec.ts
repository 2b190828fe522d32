import { Metrics } from '@inference/http';
import { reconcile } from '@inference/metering';
import { valueOf, waitFor } from '@inference/testing';
import { eventsOf, walletOf } from '../testing/gateway.fixture';
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

describe('a batch whose settlement gives no answer', () => {
  it('does not write events under another batch id once they may have been committed', async () => {
    const of = await site.account();
    const events = [site.event(of), site.event(of)];
    const holds = await Promise.all(events.map(() => site.holdFor(of)));
    const send = site.pool.query.bind(site.pool) as (...args: unknown[]) => Promise<unknown>;
    let attempts = 0;
    // The first attempt is committed, but its confirmation is lost. The second one fails with a permanent error.
    site.databaseProxy.disconnectAtNextResponse();
    const query = jest.spyOn(site.pool, 'query').mockImplementation(((...args: unknown[]) => {
      if (!JSON.stringify(args).includes('SELECT metering.append(')) return send(...args);
      const failure = Object.assign(new Error('permission denied'), { code: '42501' });
      return ++attempts === 2 ? Promise.reject(failure) : send(...args);
    }) as typeof site.pool.query);
    // The refusal finds that the first attempt was committed.
    await Promise.all(events.map((one, i) => site.batcher.settle(one, holds[i]!))).finally(() =>
      query.mockRestore(),
    );
    expect(attempts).toBe(2);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(2);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - 2n * COST });
  });

  it('says that the charge is unknown while the database is away, and refuses the batch when it is back', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    const one = site.event(of);
    const startedAt = performance.now();
    site.databaseProxy.down();
    const refusal = await refusalOf(site.impatient.settle(one, hold));
    expect(refusal).toEqual([503, 'billing_unknown']);
    // It was retried after the first failure.
    expect(performance.now() - startedAt).toBeGreaterThan(100);
    // What the proxy does at the end of a request has no effect.
    hold.release();
    expect(hold.lease).toMatchObject({ heldPicos: HELD, remainingPicos: remaining });
    expect(valueOf(await site.impatientMetrics.registry.metrics(), 'gateway_undecided_events')).toBe(1);
    site.databaseProxy.up();
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(hold.lease!.remainingPicos).toBe(remaining + HELD);
    expect(await site.refusedRequestsOf(of)).toEqual([one.requestId]);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(0);
    expect(valueOf(await site.impatientMetrics.registry.metrics(), 'gateway_undecided_events')).toBe(0);
    const again = await waitFor(() => site.holdFor(of));
    await site.batcher.settle(site.event(of), again);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
  });

  it('charges an unknown batch that was committed after all', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    await site.slowDown(1);
    const settlement = refusalOf(site.impatient.settle(site.event(of, { model: 'slow' }), hold));
    await waitFor(async () => {
      const { rows } = await site.database.pool.query(
        `${site.settlementBackends} AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    site.databaseProxy.down();
    expect(await settlement).toEqual([503, 'billing_unknown']);
    site.databaseProxy.up();
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(hold.lease!.remainingPicos).toBe(remaining + HELD - COST);
    expect(await site.refusedRequestsOf(of)).toEqual([]);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('does not know the charge either when the database does not answer at all', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    // Opens a connection for each of the two statements below.
    await Promise.all([1, 2].map(() => site.pool.query('SELECT pg_sleep(0.1)')));
    site.databaseProxy.blackhole();
    // The time limit of other statements is longer than that of a settlement.
    const other = site.pool.query('SELECT 1').catch(() => null);
    const refusal = await Promise.race([refusalOf(site.impatient.settle(site.event(of), hold)), other]);
    site.databaseProxy.endBlackhole();
    expect(refusal).toEqual([503, 'billing_unknown']);
    await other;
    await waitFor(() => hold.lease!.heldPicos === 0n);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(0);
  });

  it('refuses a settlement that waits for a lock for too long, which then never happens', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const remaining = hold.lease!.remainingPicos;
    const one = site.event(of);
    const release = await site.lockLeases(of);
    expect(await refusalOf(site.impatient.settle(one, hold)).finally(release)).toEqual([
      503,
      'billing_unavailable',
    ]);
    expect(hold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: remaining + HELD });
    expect(await site.refusedRequestsOf(of)).toEqual([one.requestId]);
    await waitFor(async () => {
      const { rows } = await site.database.pool.query(`${site.settlementBackends} AND state = 'active'`);
      return rows.length === 0;
    });
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(0);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({
      balance: OPENING,
      rolled_up: 0n,
    });
  });

  it('completes a request whose settlement is committed after the retry timeout', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    await site.slowDown(1.5);
    await site.impatient.settle(site.event(of, { model: 'slow' }), hold);
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
    expect(await site.refusedRequestsOf(of)).toEqual([]);
    expect(await walletOf(site.database.pool, of.accountId)).toMatchObject({ balance: OPENING - COST });
  });

  it('does not let calls wait longer than their own patience behind a batch that stands still', async () => {
    const [of, other] = await Promise.all([site.account(), site.account()]);
    const [hold, otherHold] = [await site.holdFor(of), await site.holdFor(other)];
    const remaining = otherHold.lease!.remainingPicos;
    await site.slowDown(2);
    const ended: string[] = [];
    const first = site.impatient
      .settle(site.event(of, { model: 'slow' }), hold)
      .finally(() => ended.push('first'));
    await waitFor(async () => {
      const { rows } = await site.database.pool.query(
        `${site.settlementBackends} AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    const second = refusalOf(site.impatient.settle(site.event(other), otherHold)).finally(() =>
      ended.push('second'),
    );
    await first;
    expect(await second).toEqual([503, 'billing_unavailable']);
    expect(ended).toEqual(['second', 'first']);
    expect(otherHold.lease).toMatchObject({ heldPicos: 0n, remainingPicos: remaining + HELD });
    expect(await eventsOf(site.database.pool, of.accountId)).toHaveLength(1);
    expect(await eventsOf(site.database.pool, other.accountId)).toHaveLength(0);
  });

  it('does not wait at shutdown for a database that is away', async () => {
    const of = await site.account();
    const hold = await site.holdFor(of);
    const stopping = new SettlementBatcher(
      site.pool,
      { retryTimeoutSeconds: 0.3 },
      new SettlementMetrics(new Metrics()),
      new UsageFolder(site.pool, new Metrics()),
    );
    site.databaseProxy.down();
    expect(await refusalOf(stopping.settle(site.event(of), hold))).toEqual([503, 'billing_unknown']);
    stopping.beforeApplicationShutdown();
    // The lease manager waits until no request holds money.
    await waitFor(() => hold.lease!.heldPicos === 0n, 15_000).finally(() => site.databaseProxy.up());
    expect(hold.lease!.isValid).toBe(false);
    await stopping.onApplicationShutdown();
  });

  it('leaves a consistent ledger', async () => {
    expect(await reconcile(site.database.pool)).toEqual([]);
  });
});
