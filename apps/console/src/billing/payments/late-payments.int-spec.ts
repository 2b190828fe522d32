import { type SignedIn } from '../../testing/console.fixture';
import { PaymentSite } from './payments.fixture';

describe('a payment whose money arrives after its time', () => {
  let payments: PaymentSite;
  let account: SignedIn;

  beforeAll(async () => {
    payments = await PaymentSite.start('cn');
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  const read = (id: string) => payments.read(account, id);
  const markSeen = async (id: string, { token } = account) =>
    (await payments.site.console.request('POST', `/api/billing/payments/${id}/seen`, { token })).status;
  const open = async () => (await payments.open(account, 'wallet_pay_provider')).id;
  const pay = async (id: string) => {
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, 'paid');
  };
  const payLate = async () => {
    const id = await open();
    await payments.expireNow(id);
    await payments.waitForStatus(account, id, 'expired');
    await payments.sandbox.injectFaults({ paid_after_expiry: true });
    await pay(id);
    return id;
  };

  it('says when it had ended, and is not seen yet', async () => {
    const late = await read(await payLate());
    expect(late).toMatchObject({ status: 'paid', ended_at: expect.any(String) as string, seen_at: null });
    const inTime = await open();
    await pay(inTime);
    expect(await read(inTime)).toMatchObject({ ended_at: null, seen_at: null });
  });

  it('is seen once', async () => {
    const id = await payLate();
    expect(await markSeen(id)).toBe(204);
    const { seen_at: seenAt } = await read(id);
    expect(seenAt).toEqual(expect.any(String));
    expect(await markSeen(id)).toBe(204);
    expect((await read(id)).seen_at).toBe(seenAt);
  });

  it('is absent for other accounts', async () => {
    const id = await payLate();
    expect(await markSeen(id, await payments.site.signedIn())).toBe(404);
    expect((await read(id)).seen_at).toBeNull();
    expect(await markSeen('pay_0Vc3kZ8dQ1mXw7RtYb2LsA')).toBe(404);
    expect(await markSeen('x')).toBe(404);
  });

  it('cannot be seen before it is paid', async () => {
    const id = await open();
    expect(await markSeen(id)).toBe(409);
    expect((await read(id)).seen_at).toBeNull();
  });
});
