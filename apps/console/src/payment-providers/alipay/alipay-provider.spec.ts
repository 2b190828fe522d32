import { generateKeyPairSync } from 'node:crypto';
import { ProviderRefusal, ProviderUnavailable } from '../payment-provider';
import { AlipaySandbox, newOrder } from './alipay.fixture';

const MINUTE_MS = 60_000;
/** A hang ends by it; nothing else may. */
const SHORT_LIMIT_MS = 1_000;

const newPrivateKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

describe('Alipay', () => {
  let site: AlipaySandbox;

  beforeAll(async () => {
    site = await AlipaySandbox.start();
  });
  afterEach(() => site.sandbox.tell());
  afterAll(() => site?.stop());

  describe('opening an order', () => {
    it('gives a code to scan', async () => {
      const order = newOrder({ expiresAt: new Date('2099-12-31T20:15:30.500Z') });
      expect(await site.provider.open(order)).toEqual({
        providerOrderId: null,
        checkout: { type: 'qr', url: `${site.sandbox.url}/orders/${order.paymentId}` },
      });
      expect(await site.sandbox.order(order.paymentId)).toMatchObject({
        provider: 'alipay',
        status: 'open',
        amount_minor: 12_345,
        currency: 'CNY',
        description: '账户充值',
        expires_at: '2099-12-31T20:15:30.000Z',
      });
    });

    it('gives the same code again', async () => {
      const order = newOrder();
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => site.provider.open(order)),
      );
      for (const other of others) expect(other).toEqual(first);
    });

    it.each([
      [1n, 1],
      [10n, 10],
      [105n, 105],
      [10_000n, 10_000],
      [99_999_999_999n, 99_999_999_999],
    ])('asks for %d fen exactly', async (amountMinor, amount_minor) => {
      const { paymentId } = await site.opened({ amountMinor });
      expect(await site.sandbox.order(paymentId)).toMatchObject({ amount_minor });
    });

    it.each([
      ['what it does not take', 'A/B=C & D\n\u0007E', 'A B C D E'],
      ['too many characters', '充'.repeat(300), '充'.repeat(256)],
      ['anything else', '1 + 1 % 3 "quoted" 中文 <b>', '1 + 1 % 3 "quoted" 中文 <b>'],
    ])('makes a subject that Alipay takes of %s', async (_what, description, subject) => {
      const { paymentId } = await site.opened({ description });
      expect((await site.sandbox.order(paymentId)).description).toBe(subject);
    });

    it('calls an order without a readable description by its id', async () => {
      const { paymentId } = await site.opened({ description: ' /&= ' });
      expect((await site.sandbox.order(paymentId)).description).toBe(paymentId);
    });

    it('is refused in another currency, or for another seller', async () => {
      await expect(site.provider.open(newOrder({ currency: 'USD' }))).rejects.toThrow(ProviderRefusal);
      const other = site.providerWith({ sellerId: '2088000000000000' });
      await expect(other.open(newOrder())).rejects.toStrictEqual(
        new ProviderRefusal('alipay.trade.precreate: ACQ.INVALID_PARAMETER'),
      );
    });

    it('leaves open what becomes of an order that Alipay knows otherwise, as paid or as closed', async () => {
      const order = await site.opened();
      await expect(site.provider.open({ ...order, amountMinor: 1n })).rejects.toThrow(ProviderUnavailable);
      await expect(site.provider.open(await site.paid())).rejects.toThrow(ProviderUnavailable);
      await site.provider.close(order);
      await expect(site.provider.open(order)).rejects.toThrow(ProviderUnavailable);
    });
  });

  describe('asking for an order', () => {
    it('tells one that may still be paid', async () => {
      expect(await site.provider.query(await site.opened())).toEqual({ status: 'open' });
    });

    it('proves that it was paid', async () => {
      const order = await site.opened({ amountMinor: 10n });
      await site.sandbox.act(order.paymentId, 'pay', { name: '张三', email: 'zhang@example.com' });
      const { reference, paid_at } = await site.sandbox.order(order.paymentId);
      expect(await site.provider.query(order)).toEqual({
        status: 'paid',
        proof: {
          reference,
          amountMinor: 10n,
          currency: 'CNY',
          paidAt: new Date(Math.floor(Date.parse(paid_at!) / 1_000) * 1_000),
          payer: { name: '张三', email: null },
        },
      });
    });

    it('knows nobody who has not said a name', async () => {
      expect(await site.provider.query(await site.paid())).toMatchObject({
        proof: { payer: { name: null, email: null } },
      });
    });

    it('tells what was tried from what ran out', async () => {
      const [failed, expired] = [await site.opened(), await site.opened()];
      await site.sandbox.act(failed.paymentId, 'fail');
      await site.sandbox.act(expired.paymentId, 'expire');
      expect(await site.provider.query(failed)).toEqual({ status: 'failed', reason: expect.any(String) });
      expect(await site.provider.query(expired)).toEqual({ status: 'expired' });
      const over = { ...failed, expiresAt: new Date(Date.now() - 1) };
      expect(await site.provider.query(over)).toEqual({ status: 'expired' });
    });

    it('takes an order that nobody has scanned for open until its time is over', async () => {
      expect(await site.provider.query(newOrder())).toEqual({ status: 'open' });
      const over = newOrder({ expiresAt: new Date(Date.now() - MINUTE_MS) });
      expect(await site.provider.query(over)).toEqual({ status: 'absent' });
    });

    it('does not take for paid what was paid back in full', async () => {
      const order = await site.paid();
      await site.provider.refund(await site.refundOf(order, { amountMinor: 1n }));
      expect(await site.provider.query(order)).toMatchObject({ status: 'paid' });
      await site.provider.refund(await site.refundOf(order, { amountMinor: 12_344n }));
      const paidBack = { status: 'failed', reason: 'was paid back in full at Alipay' };
      expect(await site.provider.query(order)).toEqual(paidBack);
      expect(await site.provider.query({ ...order, expiresAt: new Date() })).toEqual(paidBack);
    });
  });

  describe('closing an order', () => {
    it('keeps it from being paid', async () => {
      const order = await site.opened();
      expect(await site.provider.close(order)).toEqual({ status: 'expired' });
      await expect(site.sandbox.act(order.paymentId, 'pay')).rejects.toThrow('409');
      expect(await site.provider.close(order)).toEqual({ status: 'expired' });
    });

    it('tells that it was paid before', async () => {
      const order = await site.paid();
      expect(await site.provider.close(order)).toMatchObject({
        status: 'paid',
        proof: { amountMinor: 12_345n },
      });
    });

    it('does not claim to have closed a code that can still be scanned', async () => {
      expect(await site.provider.close(newOrder())).toEqual({ status: 'open' });
      const over = newOrder({ expiresAt: new Date(Date.now() - MINUTE_MS) });
      expect(await site.provider.close(over)).toEqual({ status: 'absent' });
    });
  });

  describe('a refund', () => {
    const refundsOf = async (paymentId: string) =>
      (await site.sandbox.order(paymentId)).refunds.map(({ id, amount_minor }) => [id, amount_minor]);

    it('is made once, however often it is asked for', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order);
      const made = { status: 'succeeded', reference: refund.refundId };
      expect(await site.provider.refund(refund)).toEqual(made);
      expect(await site.provider.refund(refund)).toEqual(made);
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 12_345]]);
    });

    it('may be of a part, with or without a reason', async () => {
      const order = await site.paid();
      const part = await site.refundOf(order, { amountMinor: 5n, reason: null });
      expect(await site.provider.refund(part)).toMatchObject({ status: 'succeeded' });
      expect(await refundsOf(order.paymentId)).toEqual([[part.refundId, 5]]);
    });

    it('fails for more than there is', async () => {
      const order = await site.paid();
      await site.provider.refund(await site.refundOf(order, { amountMinor: 12_000n }));
      expect(await site.provider.refund(await site.refundOf(order))).toEqual({
        status: 'failed',
        reason: 'ACQ.REASON_TRADE_REFUND_FEE_ERR',
      });
    });

    it('fails for what was not paid', async () => {
      expect(await site.provider.refund(await site.refundOf(await site.opened()))).toEqual({
        status: 'failed',
        reason: 'ACQ.TRADE_STATUS_ERROR',
      });
    });

    it('has succeeded when it was made and then asked for otherwise', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order, { amountMinor: 100n });
      await site.provider.refund(refund);
      expect(await site.provider.refund({ ...refund, amountMinor: 200n })).toMatchObject({
        status: 'succeeded',
      });
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 100]]);
    });

    it('whose answer is lost is made once', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order);
      await site.sandbox.tell({ api: { refund: 'lost' } });
      await expect(site.provider.refund(refund)).rejects.toThrow(ProviderUnavailable);
      await site.sandbox.tell();
      expect(await site.provider.refund(refund)).toMatchObject({ status: 'succeeded' });
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 12_345]]);
    });

    it('that may have been made before is not given up when nothing can be asked any more', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order);
      await site.sandbox.tell({ api: { refund: 'lost' } });
      await expect(site.provider.refund(refund)).rejects.toThrow(ProviderUnavailable);
      await site.sandbox.tell();
      const wrongKey = site.providerWith({ appKey: newPrivateKey() });
      await expect(wrongKey.refund(refund)).rejects.toThrow(ProviderUnavailable);
    });
  });

  describe('trouble', () => {
    const calls = {
      open: async () => site.provider.open(newOrder()),
      query: async () => site.provider.query(await site.opened()),
      close: async () => site.provider.close(await site.opened()),
      refund: async () => site.provider.refund(await site.refundOf(await site.paid())),
    };
    type Call = keyof typeof calls;

    const faults = [429, 500, 503, 'garbage', 'unsigned', 'lost'] as const;
    it.each((Object.keys(calls) as Call[]).flatMap((call) => faults.map((fault) => [call, fault] as const)))(
      'with %s (%s) leaves open what has become of it',
      async (call, fault) => {
        await site.sandbox.tell({ api: { [call]: fault } });
        await expect(calls[call]()).rejects.toThrow(ProviderUnavailable);
      },
    );

    it.each([
      ['open', 400],
      ['open', 403],
      ['query', 400],
      ['query', 403],
      ['close', 400],
      ['close', 403],
      ['refund', 403],
    ] as const)('with %s (%s) is a refusal', async (call, status) => {
      await site.sandbox.tell({ api: { [call]: status } });
      await expect(calls[call]()).rejects.toThrow(ProviderRefusal);
    });

    it('with a refund (400) lets it fail', async () => {
      await site.sandbox.tell({ api: { refund: 400 } });
      expect(await calls.refund()).toEqual({ status: 'failed', reason: 'ACQ.INVALID_PARAMETER' });
    });

    it.each(['open', 'query', 'close', 'refund'] as const)(
      'without an answer (%s) ends in time',
      async (call) => {
        const order = call === 'open' ? newOrder() : await site.paid();
        const hasty = site.providerWith({}, SHORT_LIMIT_MS);
        const refund = call === 'refund' && (await site.refundOf(order));
        await site.sandbox.tell({ api: { [call]: 'hang' } });
        await expect(refund ? hasty.refund(refund) : hasty[call as 'open'](order)).rejects.toThrow(
          ProviderUnavailable,
        );
      },
    );

    it('of a gateway that is not there', async () => {
      const lost = site.providerWith({ gatewayUrl: 'http://127.0.0.1:1/gateway.do' });
      await expect(lost.query(newOrder())).rejects.toStrictEqual(
        new ProviderUnavailable('alipay.trade.query: no answer (ECONNREFUSED)'),
      );
    });

    it('of a foreign key is told by the codes', async () => {
      const wrongKey = site.providerWith({ appKey: newPrivateKey() });
      await expect(wrongKey.open(newOrder())).rejects.toStrictEqual(
        new ProviderRefusal('alipay.trade.precreate: 40002 isv.invalid-signature'),
      );
      const stranger = site.providerWith({ appId: '2021000000000000' });
      await expect(stranger.open(newOrder())).rejects.toStrictEqual(
        new ProviderUnavailable(
          "alipay.trade.precreate: its answer is not signed with Alipay's key (it says 40002 isv.invalid-app-id)",
        ),
      );
    });
  });
});
