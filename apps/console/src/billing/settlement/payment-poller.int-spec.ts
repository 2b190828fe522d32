import { waitFor } from '@inference/testing';
import { type SignedIn, TestConsole } from '../../testing/console.fixture';
import { PaymentSite, PROVIDERS } from '../payments/payments.fixture';

describe.each(PROVIDERS)('payments through %s without notifications', (provider, siteName) => {
  let payments: PaymentSite;
  let account: SignedIn;
  beforeAll(async () => (payments = await PaymentSite.start(siteName)));
  beforeEach(async () => {
    await payments.sandbox.injectFaults({ drop: true });
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  const rowOf = async (id: string) => {
    const { rows } = await payments.site.database.pool.query<Record<string, unknown>>(
      'SELECT status, failure, next_check_at, claimed_until FROM billing.payments WHERE id = $1',
      [id],
    );
    return rows[0]!;
  };

  /** Waits for a check that failed and was scheduled again. */
  const untilRescheduled = (id: string) =>
    waitFor(async () => {
      const { rows } = await payments.site.database.pool.query<{ asked: boolean }>(
        'SELECT next_check_at > now() AND claimed_until IS NULL AS asked FROM billing.payments WHERE id = $1',
        [id],
      );
      return rows[0]!.asked;
    });

  it('are closed at the provider before they expire', async () => {
    const { id } = await payments.open(account, provider);
    await payments.expireNow(id);
    await payments.waitForStatus(account, id, 'expired');
    expect(['closed', 'expired']).toContain((await payments.sandbox.order(id)).status);
    await expect(payments.sandbox.act(id, 'pay')).rejects.toThrow();
  });

  it('are credited when the close shows that they were paid', async () => {
    const { id } = await payments.open(account, provider);
    await payments.stopChecking(id);
    await payments.sandbox.act(id, 'pay');
    await payments.expireNow(id);
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
  });

  it.each([[500], ['garbage'], ['lost']] as const)(
    'stay pending while the close answers %j and expire afterwards',
    async (fault) => {
      const { id } = await payments.open(account, provider);
      await payments.sandbox.injectFaults({ drop: true, api: { close: fault, query: 500 } });
      await payments.expireNow(id);
      await untilRescheduled(id);
      expect((await rowOf(id)).status).toBe('pending');
      await payments.sandbox.injectFaults({ drop: true });
      await payments.checkSoon(id);
      await payments.waitForStatus(account, id, 'expired');
    },
  );

  it('are credited when the provider is reachable again', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.injectFaults({ drop: true, api: { query: 503 } });
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await untilRescheduled(id);
    await payments.sandbox.injectFaults({ drop: true });
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
  });

  it('are checked again after their end and credited for late money', async () => {
    const { id } = await payments.open(account, provider);
    await payments.expireNow(id);
    await payments.waitForStatus(account, id, 'expired');
    expect((await rowOf(id)).next_check_at).not.toBeNull();
    await payments.sandbox.injectFaults({ drop: true, paid_after_expiry: true });
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
    expect(await rowOf(id)).toMatchObject({ status: 'paid', next_check_at: null, claimed_until: null });
  });

  it('are checked again soon when a check after the end got no answer', async () => {
    const { id } = await payments.open(account, provider);
    await payments.expireNow(id);
    await payments.waitForStatus(account, id, 'expired');
    await payments.site.database.pool.query(
      "UPDATE billing.payments SET ended_at = now() - interval '2 days' WHERE id = $1",
      [id],
    );
    await payments.sandbox.injectFaults({ drop: true, api: { query: 503 } });
    await payments.checkSoon(id);
    await untilRescheduled(id);
    await payments.sandbox.injectFaults({ drop: true });
    await payments.checkSoon(id);
    await waitFor(async () => (await rowOf(id)).next_check_at === null);
  });

  it('fail without a credit when another amount was paid', async () => {
    const { id } = await payments.open(account, provider);
    await payments.stopChecking(id);
    await payments.site.database.pool.query('UPDATE billing.payments SET amount_minor = 2001 WHERE id = $1', [
      id,
    ]);
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, 'failed');
    expect((await rowOf(id)).failure).toContain('2000');
    expect(await payments.balance(account.accountId)).toBe(0);
  });

  it('are taken over by another replica when a claim ends', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.act(id, 'pay');
    const claim = (until: string) =>
      payments.site.database.pool.query(
        `UPDATE billing.payments SET next_check_at = now(), claimed_until = now() + interval '${until}' WHERE id = $1`,
        [id],
      );
    await claim('1 hour');
    const other = await payments.open(account, provider);
    await payments.sandbox.act(other.id, 'pay');
    await payments.checkSoon(other.id);
    await payments.waitForStatus(account, other.id, 'paid');
    expect((await payments.read(account, id)).status).toBe('pending');
    await claim('-1 second');
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(4000);
  });

  it('are credited once by several replicas', async () => {
    const environment = { SITE: siteName, ...payments.sandbox.consoleEnvironment() };
    const url = payments.site.database.urlFor('console');
    const others = await Promise.all([1, 2].map(() => TestConsole.start(url, environment)));
    const opened = await Promise.all(Array.from({ length: 12 }, () => payments.open(account, provider)));
    for (const { id } of opened) {
      await payments.sandbox.act(id, 'pay');
      await payments.checkSoon(id);
    }
    for (const { id } of opened) await payments.waitForStatus(account, id, 'paid');
    await Promise.all(others.map((other) => other.close()));
    expect(await payments.balance(account.accountId)).toBe(12 * 2000);
  });
});
