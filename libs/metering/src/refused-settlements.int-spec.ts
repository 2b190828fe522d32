import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { reconcile } from './reconcile/checks.repository';
import { draw, eventOf, MODEL, next, RATE, settle, walletOf } from './settlement.fixture';

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

const clean = async () => expect(await reconcile(database.pool)).toEqual([]);

describe('metering.refuse_settlement', () => {
  const refuse = async (events: object[], id: string) => {
    const { rows } = await gateway.query<{ refused: boolean; not_covered: string[] }>(
      'SELECT * FROM metering.refuse_settlement($1, $2)',
      [id, JSON.stringify(events)],
    );
    return rows[0]!;
  };
  /** An account, and an event of it that its lease covers. */
  const served = async () => {
    const account = await insertAccount(database.pool, { balancePicos: 100_000n });
    const { lease_id: leaseId } = await draw(gateway, account, 50_000n);
    return { account, one: eventOf({ priceListId, account, leaseId, tokens: 10 }) };
  };

  it('keeps a batch from being settled later, for ever', async () => {
    const { account, one } = await served();
    const id = next('stl');
    const decision = { refused: true, not_covered: [one.request_id] };
    expect(await refuse([one], id)).toEqual(decision);
    expect(await settle(gateway, [one], id)).toEqual([one.request_id]);
    expect(await refuse([one], id)).toEqual(decision);
    await database.pool.query(
      "UPDATE metering.settlements SET settled_at = settled_at - interval '29 days' WHERE id = $1",
      [id],
    );
    await gateway.query('SELECT metering.delete_old_settlements()');
    expect(await settle(gateway, [one], id)).toEqual([one.request_id]);
    expect(await walletOf(database.pool, account)).toEqual({
      balance_picos: 100_000n,
      leased_picos: 50_000n,
    });
    await clean();
  });

  it('says what was settled before', async () => {
    const { account, one } = await served();
    const uncovered = eventOf({ priceListId, account, leaseId: one.lease_id, tokens: 1_000 });
    const id = next('stl');
    expect(await settle(gateway, [one, uncovered], id)).toEqual([uncovered.request_id]);
    expect(await refuse([one, uncovered], id)).toEqual({
      refused: false,
      not_covered: [uncovered.request_id],
    });
    expect(await walletOf(database.pool, account)).toEqual({ balance_picos: 90_000n, leased_picos: 40_000n });
    await clean();
  });

  it('waits for a settlement that is running, and goes by its end', async () => {
    for (const [end, refused] of [
      ['COMMIT', false],
      ['ROLLBACK', true],
    ] as const) {
      const { account, one } = await served();
      const id = next('stl');
      const client = await gateway.connect();
      await client.query('BEGIN');
      await client.query('SELECT metering.settle($1, $2)', [id, JSON.stringify([one])]);
      const refusal = refuse([one], id);
      const first = await Promise.race([
        refusal,
        new Promise((resolve) => setTimeout(resolve, 200, 'waits')),
      ]);
      expect(first).toBe('waits');
      await client.query(end);
      client.release();
      expect((await refusal).refused).toBe(refused);
      expect((await walletOf(database.pool, account)).balance_picos).toBe(refused ? 100_000n : 90_000n);
    }
    await clean();
  });

  it('finds an event that was settled so long ago that the id of its batch is deleted', async () => {
    const { account, one } = await served();
    const id = next('stl');
    const early = { ...one, started_at: new Date(Date.now() - 25 * 3_600_000).toISOString() };
    await settle(gateway, [early], id);
    await database.pool.query('DELETE FROM metering.settlements WHERE id = $1', [id]);
    expect(await refuse([early], id)).toEqual({ refused: false, not_covered: [] });
    expect((await walletOf(database.pool, account)).balance_picos).toBe(90_000n);
    await clean();
  });
});
