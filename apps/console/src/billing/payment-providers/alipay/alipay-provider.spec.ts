import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { AlipaySandbox, newOrder, newPrivateKey } from './alipay.fixture';

const MINUTE_MS = 60_000;
describe('Alipay', () => {
  let site: AlipaySandbox;

  beforeAll(async () => {
    site = await AlipaySandbox.start();
  });
  afterEach(() => site.sandbox.injectFaults());
  afterAll(() => site?.stop());

  describe('open', () => {
    it('returns a QR code', async () => {
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

    it('returns the same code again', async () => {
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
    ])('requests exactly %d fen', async (amountMinor, amount_minor) => {
      const { paymentId } = await site.openOrder({ amountMinor });
      expect(await site.sandbox.order(paymentId)).toMatchObject({ amount_minor });
    });

    it.each([
      ['what it does not take', 'A/B=C & D\n\u0007E', 'A B C D E'],
      ['too many characters', '充'.repeat(300), '充'.repeat(256)],
      ['anything else', '1 + 1 % 3 "quoted" 中文 <b>', '1 + 1 % 3 "quoted" 中文 <b>'],
    ])('makes a valid subject of %s', async (_what, description, subject) => {
      const { paymentId } = await site.openOrder({ description });
      expect((await site.sandbox.order(paymentId)).description).toBe(subject);
    });

    it('uses the payment id as subject if the description has no visible character', async () => {
      const { paymentId } = await site.openOrder({ description: ' /&= ' });
      expect((await site.sandbox.order(paymentId)).description).toBe(paymentId);
    });

    it('is refused in another currency and for another seller', async () => {
      await expect(site.provider.open(newOrder({ currency: 'USD' }))).rejects.toThrow(ProviderRefusedError);
      const other = site.providerWith({ sellerId: '2088000000000000' });
      await expect(other.open(newOrder())).rejects.toStrictEqual(
        new ProviderRefusedError('alipay.trade.precreate: ACQ.INVALID_PARAMETER'),
      );
    });

    it('is inconclusive for an order that Alipay knows with other data, as paid or as closed', async () => {
      const order = await site.openOrder();
      await expect(site.provider.open({ ...order, amountMinor: 1n })).rejects.toThrow(
        ProviderUnavailableError,
      );
      await expect(site.provider.open(await site.payOrder())).rejects.toThrow(ProviderUnavailableError);
      await site.provider.close(order);
      await expect(site.provider.open(order)).rejects.toThrow(ProviderUnavailableError);
    });
  });

  describe('query', () => {
    it('reports an open order', async () => {
      expect(await site.provider.query(await site.openOrder())).toEqual({ status: 'open' });
    });

    it('proves a payment', async () => {
      const order = await site.openOrder({ amountMinor: 10n });
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

    it('has no payer name if Alipay returns none', async () => {
      expect(await site.provider.query(await site.payOrder())).toMatchObject({
        proof: { payer: { name: null, email: null } },
      });
    });

    it('distinguishes failed from expired orders', async () => {
      const [failed, expired] = [await site.openOrder(), await site.openOrder()];
      await site.sandbox.act(failed.paymentId, 'fail');
      await site.sandbox.act(expired.paymentId, 'expire');
      expect(await site.provider.query(failed)).toEqual({ status: 'failed', reason: expect.any(String) });
      expect(await site.provider.query(expired)).toEqual({ status: 'expired' });
      const over = { ...failed, expiresAt: new Date(Date.now() - 1) };
      expect(await site.provider.query(over)).toEqual({ status: 'expired' });
    });

    it('reports an unscanned order as open until it expires', async () => {
      expect(await site.provider.query(newOrder())).toEqual({ status: 'open' });
      const over = newOrder({ expiresAt: new Date(Date.now() - MINUTE_MS) });
      expect(await site.provider.query(over)).toEqual({ status: 'absent' });
    });

    it('reports a fully refunded trade as failed', async () => {
      const order = await site.payOrder();
      await site.provider.refund(await site.refundOf(order, { amountMinor: 1n }));
      expect(await site.provider.query(order)).toMatchObject({ status: 'paid' });
      await site.provider.refund(await site.refundOf(order, { amountMinor: 12_344n }));
      const paidBack = { status: 'failed', reason: 'was paid back in full at Alipay' };
      expect(await site.provider.query(order)).toEqual(paidBack);
      expect(await site.provider.query({ ...order, expiresAt: new Date() })).toEqual(paidBack);
    });
  });

  describe('close', () => {
    it('prevents the payment', async () => {
      const order = await site.openOrder();
      expect(await site.provider.close(order)).toEqual({ status: 'expired' });
      await expect(site.sandbox.act(order.paymentId, 'pay')).rejects.toThrow('409');
      expect(await site.provider.close(order)).toEqual({ status: 'expired' });
    });

    it('reports that the order was paid before', async () => {
      const order = await site.payOrder();
      expect(await site.provider.close(order)).toMatchObject({
        status: 'paid',
        proof: { amountMinor: 12_345n },
      });
    });

    it('reports a code that can still be scanned as open', async () => {
      expect(await site.provider.close(newOrder())).toEqual({ status: 'open' });
      const over = newOrder({ expiresAt: new Date(Date.now() - MINUTE_MS) });
      expect(await site.provider.close(over)).toEqual({ status: 'absent' });
    });
  });

  describe('refund', () => {
    const refundsOf = async (paymentId: string) =>
      (await site.sandbox.order(paymentId)).refunds.map(({ id, amount_minor }) => [id, amount_minor]);

    it('is made once for repeated requests', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order);
      const made = { status: 'succeeded', reference: refund.refundId };
      expect(await site.provider.refund(refund)).toEqual(made);
      expect(await site.provider.refund(refund)).toEqual(made);
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 12_345]]);
    });

    it('can be partial, with or without a reason', async () => {
      const order = await site.payOrder();
      const part = await site.refundOf(order, { amountMinor: 5n, reason: null });
      expect(await site.provider.refund(part)).toMatchObject({ status: 'succeeded' });
      expect(await refundsOf(order.paymentId)).toEqual([[part.refundId, 5]]);
    });

    it('fails for more than was paid', async () => {
      const order = await site.payOrder();
      await site.provider.refund(await site.refundOf(order, { amountMinor: 12_000n }));
      expect(await site.provider.refund(await site.refundOf(order))).toEqual({
        status: 'failed',
        reason: 'ACQ.REASON_TRADE_REFUND_FEE_ERR',
      });
    });

    it('fails for an unpaid order', async () => {
      expect(await site.provider.refund(await site.refundOf(await site.openOrder()))).toEqual({
        status: 'failed',
        reason: 'ACQ.TRADE_STATUS_ERROR',
      });
    });

    it('succeeds if it was made before with other data', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order, { amountMinor: 100n });
      await site.provider.refund(refund);
      expect(await site.provider.refund({ ...refund, amountMinor: 200n })).toMatchObject({
        status: 'succeeded',
      });
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 100]]);
    });

    it('is made once when the response is lost', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order);
      await site.sandbox.injectFaults({ api: { refund: 'lost' } });
      await expect(site.provider.refund(refund)).rejects.toThrow(ProviderUnavailableError);
      await site.sandbox.injectFaults();
      expect(await site.provider.refund(refund)).toMatchObject({ status: 'succeeded' });
      expect(await refundsOf(order.paymentId)).toEqual([[refund.refundId, 12_345]]);
    });

    it('is inconclusive when the query is refused', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order);
      await site.sandbox.injectFaults({ api: { refund: 'lost' } });
      await expect(site.provider.refund(refund)).rejects.toThrow(ProviderUnavailableError);
      await site.sandbox.injectFaults();
      const wrongKey = site.providerWith({ appKey: newPrivateKey() });
      await expect(wrongKey.refund(refund)).rejects.toThrow(ProviderUnavailableError);
    });
  });
});
