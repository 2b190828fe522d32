import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { insertPayment, insertRefund } from '../documents/documents.fixture';
import { type Payment } from './payment.entity';
import { type PaymentBody } from './payments.fixture';

describe('a refunded payment', () => {
  let site: TestSite;
  let account: SignedIn;
  let admin: SignedIn;
  let payment: Payment;

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  beforeEach(async () => {
    account = await site.signedIn();
    payment = await insertPayment(site.database.pool, account.accountId, { amountMinor: 2_000n });
  });
  afterAll(() => site.stop());

  const refund = (options: Parameters<typeof insertRefund>[2]) =>
    insertRefund(site.database.pool, payment, options);
  const get = async <T = PaymentBody>(path: string, { token } = account) =>
    (await site.console.request('GET', path, { token })).body as T;
  const read = () => get(`/api/billing/payments/${payment.id}`);

  it('stays paid and shows what was given back, to its account and to admins', async () => {
    const failed = await refund({ amountMinor: 2_000n, status: 'failed' });
    const made = await refund({ amountMinor: 755n, reason: 'Asked for' });
    const at = expect.stringMatching(/Z$/) as string;
    const shown = await read();
    expect(shown).toMatchObject({ id: payment.id, status: 'paid', amount: 20, refunded_amount: 7.55 });
    expect(shown.refunds).toEqual([
      { id: failed, amount: 20, status: 'failed', created_at: at },
      { id: made, amount: 7.55, status: 'succeeded', created_at: at, reason: 'Asked for' },
    ]);
    expect(await get(`/api/admin/billing/payments/${payment.id}`, admin)).toMatchObject({
      status: 'paid',
      refunded_amount: 7.55,
      refunds: [{ id: failed }, { id: made, payment_id: payment.id, failure: null }],
    });
  });

  it.each(['pending', 'failed'] as const)('has nothing given back while its refund is %s', async (status) => {
    await refund({ status });
    expect(await read()).toMatchObject({ refunded_amount: 0, refunds: [{ amount: 20, status }] });
  });

  it('is recognisable in the list', async () => {
    const { pool } = site.database;
    const others = [
      await insertPayment(pool, account.accountId, { amountMinor: 100n }),
      await insertPayment(pool, account.accountId, { amountMinor: 300n }),
    ];
    await refund({});
    await insertRefund(pool, others[0]!, { amountMinor: 40n });
    const foreign = await insertPayment(pool, (await site.signedIn()).accountId);
    await insertRefund(pool, foreign);
    const { payments } = await get<{ payments: PaymentBody[] }>('/api/billing/payments');
    const refunded = new Map(payments.map(({ id, refunded_amount }) => [id, refunded_amount]));
    expect(refunded).toEqual(
      new Map([
        [payment.id, 20],
        [others[0]!.id, 0.4],
        [others[1]!.id, 0],
      ]),
    );
    for (const { id, refunds } of payments)
      expect(refunds).toEqual((await get(`/api/billing/payments/${id}`)).refunds);
  });
});
