import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { newOrder, NOTIFY_URL, type ProxiedAnswer, WechatSandbox } from './wechat.fixture';
import { refundStateOf } from './wechat-messages';
import { type WechatProvider } from './wechat-provider';

const EXPIRED_AGO_MS = 3_600_000;

describe('WeChat Pay', () => {
  let site: WechatSandbox;
  let provider: WechatProvider;

  beforeAll(async () => {
    site = await WechatSandbox.start();
    ({ provider } = site);
  });
  afterEach(() => site.resetFaults());
  afterAll(() => site?.stop());

  describe('open', () => {
    it('returns a QR code', async () => {
      const order = newOrder();
      expect(await provider.open(order)).toEqual({
        providerOrderId: null,
        checkout: { type: 'qr', url: `${site.sandbox.url}/orders/${order.paymentId}` },
      });
      const there = await site.sandbox.order(order.paymentId);
      expect(there).toMatchObject({ status: 'open', amount_minor: 12_345, currency: 'CNY' });
      expect(Date.parse(there.expires_at)).toBe(Math.floor(order.expiresAt.getTime() / 1000) * 1000);
    });

    it('returns the same code again', async () => {
      const order = newOrder();
      const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => provider.open(order)));
      for (const other of others) expect(other).toEqual(first);
    });

    it('sends the parameters of the API and the id of the public key', async () => {
      const order = await site.openOrder({
        description: `${'充'.repeat(126)}😀值`,
        expiresAt: new Date('2099-12-31T20:15:30.500Z'),
      });
      const request = site.proxy.requests.at(-1)!;
      expect(request.line).toBe('POST /v3/pay/transactions/native');
      expect(request.headers['wechatpay-serial']).toBe(Object.keys(site.config.platformKeys)[0]);
      expect(JSON.parse(request.body)).toEqual({
        appid: site.config.appId,
        mchid: site.config.merchantId,
        // The surrogate pair does not fit any more.
        description: '充'.repeat(126),
        out_trade_no: order.paymentId,
        time_expire: '2100-01-01T04:15:30+08:00',
        notify_url: NOTIFY_URL,
        amount: { total: 12_345, currency: 'CNY' },
      });
    });

    it('is inconclusive for an order that WeChat Pay knows with other data or as paid', async () => {
      const order = await site.openOrder();
      await expect(provider.open({ ...order, amountMinor: 1n })).rejects.toThrow(ProviderUnavailableError);
      await expect(provider.open(await site.payOrder())).rejects.toThrow(ProviderUnavailableError);
      await expect(provider.open(await site.payOrder())).rejects.toThrow('ORDERPAID');
    });

    it("is refused with WeChat Pay's error code", async () => {
      const tooLate = newOrder({ expiresAt: new Date(Date.now() - EXPIRED_AGO_MS) });
      await expect(provider.open(tooLate)).rejects.toThrow(ProviderRefusedError);
      await expect(provider.open(tooLate)).rejects.toThrow('PARAM_ERROR');
      const otherApp = site.providerWith({ appId: 'wx0000000000000000' });
      await expect(otherApp.open(newOrder())).rejects.toThrow('APPID_MCHID_NOT_MATCH');
      const unknown = site.providerWith({ merchantSerial: 'AAAAAAAA' });
      await expect(unknown.open(newOrder())).rejects.toThrow('SIGN_ERROR');
    });
  });

  describe('query', () => {
    it('reports every state', async () => {
      expect(await provider.query(newOrder())).toEqual({ status: 'absent' });
      expect(await provider.query(await site.openOrder())).toEqual({ status: 'open' });
      const failed = await site.openOrder();
      await site.sandbox.act(failed.paymentId, 'fail');
      expect(await provider.query(failed)).toEqual({ status: 'failed', reason: 'PAYERROR: 支付失败' });
      const expired = await site.openOrder();
      await site.sandbox.act(expired.paymentId, 'expire');
      expect(await provider.query(expired)).toEqual({ status: 'expired' });
    });

    it('proves a payment', async () => {
      const order = await site.payOrder();
      const { reference, paid_at } = await site.sandbox.order(order.paymentId);
      expect(await provider.query(order)).toEqual({
        status: 'paid',
        proof: {
          reference,
          amountMinor: 12_345n,
          currency: 'CNY',
          paidAt: new Date(Math.floor(Date.parse(paid_at!) / 1000) * 1000),
          payer: { name: null, email: null },
        },
      });
    });

    it('reports a refunded order as failed', async () => {
      const order = await site.payOrder();
      await provider.refund(await site.refundOf(order));
      expect(await provider.query(order)).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/^REFUND/),
      });
    });

    it.each<[string, (answer: ProxiedAnswer) => ProxiedAnswer]>([
      ['changed', (answer) => ({ ...answer, body: answer.body.replace('12345', '99999') })],
      ['stripped of its signature', ({ status, body }) => ({ status, body, headers: {} })],
      ['under another key', (answer) => withHeader(answer, 'wechatpay-serial', 'PUB_KEY_ID_1')],
      ['from another time', (answer) => withHeader(answer, 'wechatpay-timestamp', '1700000000')],
      ['empty', (answer) => ({ ...answer, body: '' })],
    ])('rejects a response that was %s', async (_name, change) => {
      const order = await site.payOrder();
      site.proxy.change = change;
      await expect(provider.query(order)).rejects.toThrow(ProviderUnavailableError);
    });

    it('follows no redirect', async () => {
      const order = await site.payOrder();
      const location = `${site.proxy.url}/elsewhere`;
      site.proxy.change = (answer) => withHeader({ ...answer, status: 302 }, 'location', location);
      await expect(provider.query(order)).rejects.toThrow(ProviderUnavailableError);
      expect(site.proxy.count('GET /elsewhere')).toBe(0);
    });

    it('rejects a response about another order', async () => {
      const genuine: ProxiedAnswer[] = [];
      const [one, other] = [await site.payOrder(), await site.openOrder()];
      site.proxy.change = (answer) => {
        genuine.push(answer);
        return genuine[0]!;
      };
      expect(await provider.query(one)).toMatchObject({ status: 'paid' });
      await expect(provider.query(other)).rejects.toThrow('another order');
      await expect(site.providerWith({ appId: 'wx0000000000000000' }).query(one)).rejects.toThrow(
        'another order',
      );
    });
  });

  describe('close', () => {
    it('is idempotent', async () => {
      const order = await site.openOrder();
      expect(await provider.close(order)).toEqual({ status: 'expired' });
      expect((await site.sandbox.order(order.paymentId)).status).toBe('closed');
      expect(await provider.close(order)).toEqual({ status: 'expired' });
    });

    it('reports that the order was paid, failed or absent', async () => {
      expect(await provider.close(await site.payOrder())).toMatchObject({
        status: 'paid',
        proof: { amountMinor: 12_345n },
      });
      const failed = await site.openOrder();
      await site.sandbox.act(failed.paymentId, 'fail');
      expect(await provider.close(failed)).toMatchObject({ status: 'failed' });
      expect(await provider.close(newOrder())).toEqual({ status: 'absent' });
    });

    it('is refused while the order stays open', async () => {
      const order = await site.openOrder();
      await site.sandbox.injectFaults({ api: { close: 403 } });
      await expect(provider.close(order)).rejects.toThrow('NO_AUTH');
    });
  });

  describe('refund', () => {
    it('is pending first and succeeds on a later call', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order, { amountMinor: 45n, reason: '退'.repeat(100) });
      const first = await provider.refund(refund);
      expect(first).toEqual({ status: 'pending', reference: expect.stringMatching(/^\d{28}$/) });
      const body = JSON.parse(site.proxy.requests.at(-1)!.body) as object;
      expect(body).toMatchObject({
        transaction_id: refund.paymentReference,
        reason: '退'.repeat(26),
        notify_url: NOTIFY_URL,
        amount: { refund: 45, total: 12_345, currency: 'CNY' },
      });
      const again = await provider.refund(refund);
      expect(again).toEqual({ ...first, status: 'succeeded' });
      expect((await site.sandbox.order(order.paymentId)).refunds).toMatchObject([{ amount_minor: 45 }]);
    });

    it('is made once for concurrent requests', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order);
      await Promise.all(Array.from({ length: 5 }, () => provider.refund(refund)));
      expect((await site.sandbox.order(order.paymentId)).refunds).toHaveLength(1);
    });

    it('throws ProviderUnavailableError for a refused query, since the refund may exist', async () => {
      const refund = await site.refundOf(await site.payOrder());
      await site.sandbox.injectFaults({ api: { query: 403 } });
      await expect(provider.refund(refund)).rejects.toThrow(ProviderUnavailableError);
      expect((await site.sandbox.order(refund.order.paymentId)).refunds).toEqual([]);
    });

    it('finds a refund whose response was lost', async () => {
      const order = await site.payOrder();
      const refund = await site.refundOf(order, { reason: null });
      await site.sandbox.injectFaults({ api: { refund: 'lost' } });
      await expect(provider.refund(refund)).rejects.toThrow(ProviderUnavailableError);
      expect(await provider.refund(refund)).toMatchObject({ status: 'succeeded' });
      expect((await site.sandbox.order(order.paymentId)).refunds).toHaveLength(1);
    });

    it("is refused with WeChat Pay's error code", async () => {
      const order = await site.payOrder();
      const tooMuch = await site.refundOf(order, { amountMinor: 12_346n });
      await expect(provider.refund(tooMuch)).rejects.toThrow(ProviderRefusedError);
      await expect(provider.refund(tooMuch)).rejects.toThrow('INVALID_REQUEST');
      const unpaid = await site.refundOf(await site.openOrder(), { paymentReference: '1'.repeat(28) });
      await expect(provider.refund(unpaid)).rejects.toThrow('RESOURCE_NOT_EXISTS');
    });

    it('rejects a response about another refund', async () => {
      const [one, other] = [
        await site.refundOf(await site.payOrder()),
        await site.refundOf(await site.payOrder()),
      ];
      await provider.refund(one);
      let genuine: ProxiedAnswer | undefined;
      site.proxy.change = (answer) => (genuine ??= answer);
      expect(await provider.refund(one)).toMatchObject({ status: 'succeeded' });
      await expect(provider.refund(other)).rejects.toThrow('another refund');
    });
  });

  it.each([
    ['SUCCESS', 'succeeded'],
    ['PROCESSING', 'pending'],
    ['ABNORMAL', 'pending'],
    ['CLOSED', 'failed'],
  ] as const)('maps the status %s to %s', (status, state) => {
    expect(refundStateOf({ refund_id: '1', out_refund_no: 'ref_1', status }).status).toBe(state);
  });
});

const withHeader = (answer: ProxiedAnswer, name: string, value: string): ProxiedAnswer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
