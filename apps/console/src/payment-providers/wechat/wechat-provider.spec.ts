import { type Order, ProviderRefusal, ProviderUnavailable, type RefundOrder } from '../payment-provider';
import { newOrder, NOTIFY_URL, type RelayedAnswer, WechatSandbox } from './wechat.fixture';
import { refundStateOf } from './wechat-messages';
import { type WechatProvider } from './wechat-provider';

const EXPIRED_AGO_MS = 3_600_000;
const IMPATIENT_MS = 300;

describe('WeChat Pay', () => {
  let site: WechatSandbox;
  let provider: WechatProvider;

  beforeAll(async () => {
    site = await WechatSandbox.start();
    ({ provider } = site);
  });
  afterEach(() => site.behave());
  afterAll(() => site?.stop());

  describe('opening an order', () => {
    it('gives a code to scan', async () => {
      const order = newOrder();
      expect(await provider.open(order)).toEqual({
        providerOrderId: null,
        checkout: { type: 'qr', url: `${site.sandbox.url}/orders/${order.paymentId}` },
      });
      const there = await site.sandbox.order(order.paymentId);
      expect(there).toMatchObject({ status: 'open', amount_minor: 12_345, currency: 'CNY' });
      expect(Date.parse(there.expires_at)).toBe(Math.floor(order.expiresAt.getTime() / 1000) * 1000);
    });

    it('gives the same code again', async () => {
      const order = newOrder();
      const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => provider.open(order)));
      for (const other of others) expect(other).toEqual(first);
    });

    it('says what it asks for as the API wants it, under the name of the public key', async () => {
      const order = await site.opened({
        description: `${'充'.repeat(126)}😀值`,
        expiresAt: new Date('2099-12-31T20:15:30.500Z'),
      });
      const request = site.relay.requests.at(-1)!;
      expect(request.line).toBe('POST /v3/pay/transactions/native');
      expect(request.headers['wechatpay-serial']).toBe(Object.keys(site.config.platformKeys)[0]);
      expect(JSON.parse(request.body)).toEqual({
        appid: site.config.appId,
        mchid: site.config.merchantId,
        // The character that is two halves does not fit any more.
        description: '充'.repeat(126),
        out_trade_no: order.paymentId,
        time_expire: '2100-01-01T04:15:30+08:00',
        notify_url: NOTIFY_URL,
        amount: { total: 12_345, currency: 'CNY' },
      });
    });

    it('leaves open what becomes of an order that WeChat Pay knows otherwise or as paid', async () => {
      const order = await site.opened();
      await expect(provider.open({ ...order, amountMinor: 1n })).rejects.toThrow(ProviderUnavailable);
      await expect(provider.open(await site.paid())).rejects.toThrow(ProviderUnavailable);
      await expect(provider.open(await site.paid())).rejects.toThrow('ORDERPAID');
    });

    it('is refused by the code', async () => {
      const tooLate = newOrder({ expiresAt: new Date(Date.now() - EXPIRED_AGO_MS) });
      await expect(provider.open(tooLate)).rejects.toThrow(ProviderRefusal);
      await expect(provider.open(tooLate)).rejects.toThrow('PARAM_ERROR');
      const stranger = site.providerWith({ appId: 'wx0000000000000000' });
      await expect(stranger.open(newOrder())).rejects.toThrow('APPID_MCHID_NOT_MATCH');
      const unknown = site.providerWith({ merchantSerial: 'AAAAAAAA' });
      await expect(unknown.open(newOrder())).rejects.toThrow('SIGN_ERROR');
    });
  });

  describe('asking for an order', () => {
    it('tells every state', async () => {
      expect(await provider.query(newOrder())).toEqual({ status: 'absent' });
      expect(await provider.query(await site.opened())).toEqual({ status: 'open' });
      const failed = await site.opened();
      await site.sandbox.act(failed.paymentId, 'fail');
      expect(await provider.query(failed)).toEqual({ status: 'failed', reason: 'PAYERROR: 支付失败' });
      const expired = await site.opened();
      await site.sandbox.act(expired.paymentId, 'expire');
      expect(await provider.query(expired)).toEqual({ status: 'expired' });
    });

    it('proves that it was paid', async () => {
      const order = await site.paid();
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

    it('does not count money that has gone back', async () => {
      const order = await site.paid();
      await provider.refund(await site.refundOf(order));
      expect(await provider.query(order)).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/^REFUND/),
      });
    });

    it.each<[string, (answer: RelayedAnswer) => RelayedAnswer]>([
      ['changed', (answer) => ({ ...answer, body: answer.body.replace('12345', '99999') })],
      ['stripped of its signature', ({ status, body }) => ({ status, body, headers: {} })],
      ['under another key', (answer) => withHeader(answer, 'wechatpay-serial', 'PUB_KEY_ID_1')],
      ['from another time', (answer) => withHeader(answer, 'wechatpay-timestamp', '1700000000')],
      ['empty', (answer) => ({ ...answer, body: '' })],
    ])('believes no answer that was %s', async (_name, change) => {
      const order = await site.paid();
      site.relay.change = change;
      await expect(provider.query(order)).rejects.toThrow(ProviderUnavailable);
    });

    it('follows no redirect', async () => {
      const order = await site.paid();
      const location = `${site.relay.url}/elsewhere`;
      site.relay.change = (answer) => withHeader({ ...answer, status: 302 }, 'location', location);
      await expect(provider.query(order)).rejects.toThrow(ProviderUnavailable);
      expect(site.relay.count('GET /elsewhere')).toBe(0);
    });

    it('believes no answer about another order', async () => {
      const genuine: RelayedAnswer[] = [];
      const [one, other] = [await site.paid(), await site.opened()];
      site.relay.change = (answer) => {
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

  describe('closing an order', () => {
    it('ends it, once and again', async () => {
      const order = await site.opened();
      expect(await provider.close(order)).toEqual({ status: 'expired' });
      expect((await site.sandbox.order(order.paymentId)).status).toBe('closed');
      expect(await provider.close(order)).toEqual({ status: 'expired' });
    });

    it('tells that it was paid, had failed, or never was', async () => {
      expect(await provider.close(await site.paid())).toMatchObject({
        status: 'paid',
        proof: { amountMinor: 12_345n },
      });
      const failed = await site.opened();
      await site.sandbox.act(failed.paymentId, 'fail');
      expect(await provider.close(failed)).toMatchObject({ status: 'failed' });
      expect(await provider.close(newOrder())).toEqual({ status: 'absent' });
    });

    it('is refused while it stays open', async () => {
      const order = await site.opened();
      await site.sandbox.tell({ api: { close: 403 } });
      await expect(provider.close(order)).rejects.toThrow('NO_AUTH');
    });
  });

  describe('giving money back', () => {
    it('is under way first, and done when asked for again', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order, { amountMinor: 45n, reason: '退'.repeat(100) });
      const first = await provider.refund(refund);
      expect(first).toEqual({ status: 'pending', reference: expect.stringMatching(/^\d{28}$/) });
      const body = JSON.parse(site.relay.requests.at(-1)!.body) as object;
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

    it('happens once, however often it is asked for at once', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order);
      await Promise.all(Array.from({ length: 5 }, () => provider.refund(refund)));
      expect((await site.sandbox.order(order.paymentId)).refunds).toHaveLength(1);
    });

    it('takes a refused question about a refund for no answer, since it may have been made', async () => {
      const refund = await site.refundOf(await site.paid());
      await site.sandbox.tell({ api: { query: 403 } });
      await expect(provider.refund(refund)).rejects.toThrow(ProviderUnavailable);
      expect((await site.sandbox.order(refund.order.paymentId)).refunds).toEqual([]);
    });

    it('finds the refund whose answer was lost', async () => {
      const order = await site.paid();
      const refund = await site.refundOf(order, { reason: null });
      await site.sandbox.tell({ api: { refund: 'lost' } });
      await expect(provider.refund(refund)).rejects.toThrow(ProviderUnavailable);
      expect(await provider.refund(refund)).toMatchObject({ status: 'succeeded' });
      expect((await site.sandbox.order(order.paymentId)).refunds).toHaveLength(1);
    });

    it('is refused by the code', async () => {
      const order = await site.paid();
      const tooMuch = await site.refundOf(order, { amountMinor: 12_346n });
      await expect(provider.refund(tooMuch)).rejects.toThrow(ProviderRefusal);
      await expect(provider.refund(tooMuch)).rejects.toThrow('INVALID_REQUEST');
      const unpaid = await site.refundOf(await site.opened(), { paymentReference: '1'.repeat(28) });
      await expect(provider.refund(unpaid)).rejects.toThrow('RESOURCE_NOT_EXISTS');
    });

    it('believes no answer about another refund', async () => {
      const [one, other] = [await site.refundOf(await site.paid()), await site.refundOf(await site.paid())];
      await provider.refund(one);
      let genuine: RelayedAnswer | undefined;
      site.relay.change = (answer) => (genuine ??= answer);
      expect(await provider.refund(one)).toMatchObject({ status: 'succeeded' });
      await expect(provider.refund(other)).rejects.toThrow('another refund');
    });
  });

  it.each([
    ['SUCCESS', 'succeeded'],
    ['PROCESSING', 'pending'],
    ['ABNORMAL', 'pending'],
    ['CLOSED', 'failed'],
  ] as const)('a refund with the status %s is %s', (status, state) => {
    expect(refundStateOf({ refund_id: '1', out_refund_no: 'ref_1', status }).status).toBe(state);
  });

  describe('when WeChat Pay is in trouble', () => {
    const call = {
      open: async () => ({ ask: (by: WechatProvider, order: Order) => by.open(order), order: newOrder() }),
      query: async () => ({
        ask: (by: WechatProvider, order: Order) => by.query(order),
        order: await site.opened(),
      }),
      close: async () => ({
        ask: (by: WechatProvider, order: Order) => by.close(order),
        order: await site.opened(),
      }),
      refund: async () => {
        const order = await site.paid();
        const refund: RefundOrder = await site.refundOf(order);
        return { ask: (by: WechatProvider) => by.refund(refund), order };
      },
    };
    type Call = keyof typeof call;
    const CALLS = Object.keys(call) as Call[];

    it.each(CALLS)('%s may have taken effect', async (name) => {
      for (const trouble of [500, 502, 503, 429, 'lost', 'garbage', 'unsigned'] as const) {
        const { ask, order } = await call[name]();
        await site.sandbox.tell({ api: { [name]: trouble } });
        await expect(ask(provider, order)).rejects.toThrow(ProviderUnavailable);
        await site.sandbox.tell();
      }
    });

    it.each(CALLS)('%s waits no longer than it may', async (name) => {
      const { ask, order } = await call[name]();
      await site.sandbox.tell({ api: { [name]: 'hang' } });
      const impatient = site.providerWith({}, { timeoutMs: IMPATIENT_MS });
      await expect(ask(impatient, order)).rejects.toThrow(ProviderUnavailable);
    });

    it.each([
      [404, '<html>not found</html>'],
      [404, '{}'],
      [404, '{"code":"SYSTEM_ERROR","message":""}'],
      [403, '{"code":"FREQUENCY_LIMITED","message":""}'],
      [429, '{"code":"RULE_LIMIT","message":""}'],
    ])('takes %i %s for no refusal', async (status, body) => {
      site.relay.change = () => ({ status, headers: {}, body });
      await expect(provider.query(newOrder())).rejects.toThrow(ProviderUnavailable);
    });

    it('tells nothing of its keys when it cannot be reached', async () => {
      const nowhere = site.providerWith({ apiUrl: 'http://127.0.0.1:1' });
      const error: Error = await nowhere.query(newOrder()).then(
        () => Promise.reject(new Error('there was an answer')),
        (thrown: Error) => thrown,
      );
      expect(error).toBeInstanceOf(ProviderUnavailable);
      expect(error.message).toContain('ECONNREFUSED');
      expect(Object.keys(error)).toEqual([]);
      expect(error.cause).toBeUndefined();
    });
  });
});

const withHeader = (answer: RelayedAnswer, name: string, value: string): RelayedAnswer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
