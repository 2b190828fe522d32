import fc from 'fast-check';
import { type WechatConfig } from '../../config.payments';
import { type Notification, NotificationRefusal, type RawNotification } from '../payment-provider';
import { type Forgery, NOTIFY_URL, OwnPlatform, WechatSandbox } from './wechat.fixture';
import { WechatProvider } from './wechat-provider';

const TEST_SIGNATURE = 'WECHATPAY/SIGNTEST/jtmPF8CBSlqHVuB5EKCKc4aSYnPMhQGwDpKm6Hpy2A==';
const TOO_FAR_SECONDS = 310;
const JUST_NEAR_SECONDS = 290;

describe("WeChat Pay's notifications", () => {
  let site: WechatSandbox;

  beforeAll(async () => (site = await WechatSandbox.start()));
  afterEach(() => site.behave());
  afterAll(() => site?.stop());

  const last = () => site.merchant.received.at(-1)!;

  describe('as the sandbox sends them', () => {
    it('tell of a payment with its proof, and are acknowledged', async () => {
      const order = await site.paid();
      expect(await site.deliveries(order, 1)).toMatchObject([
        { status: 200, acknowledged: true, body: JSON.stringify({ code: 'SUCCESS', message: '成功' }) },
      ]);
      const state = await site.provider.query(order);
      expect(last().outcome).toEqual({ about: 'payment', paymentId: order.paymentId, state });
      expect(state.status).toBe('paid');
    });

    it('tell of a refund', async () => {
      const order = await site.paid();
      await site.deliveries(order, 1);
      const refund = await site.refundOf(order);
      await site.provider.refund(refund);
      await site.deliveries(order, 2);
      expect(last().outcome).toEqual({ about: 'refund', refundId: refund.refundId });
    });

    it('tell nothing of an order that failed, ran out or was closed', async () => {
      for (const end of ['fail', 'expire', 'close'] as const) {
        const order = await site.opened();
        if (end === 'close') await site.provider.close(order);
        else await site.sandbox.act(order.paymentId, end);
        expect(await site.sandbox.order(order.paymentId)).toMatchObject({ deliveries: [], waiting: 0 });
      }
    });

    it.each([
      ['wrong_signature', 'signature'],
      ['wrong_merchant', 'merchant'],
      ['old_timestamp', 'signature'],
      ['future_timestamp', 'signature'],
    ])('with %s are declined for the %s, and believed when they are right', async (name, fault) => {
      await site.sandbox.tell({ duplicate: 2, [name]: 1 });
      const before = site.merchant.received.length;
      const order = await site.paid();
      const deliveries = await site.deliveries(order, 2);
      expect(deliveries.find(({ faults }) => faults.includes(name))).toMatchObject({
        status: 401,
        acknowledged: false,
        body: expect.stringContaining('"FAIL"'),
      });
      expect(deliveries.find(({ faults }) => faults.length === 0)).toMatchObject({
        status: 200,
        acknowledged: true,
      });
      const outcomes = site.merchant.received.slice(before).map(({ outcome }) => outcome);
      expect(outcomes).toContainEqual(expect.objectContaining({ fault }));
      expect(outcomes).toContainEqual(expect.objectContaining({ paymentId: order.paymentId }));
    });

    it.each([
      ['wrong_amount', { amountMinor: 12_346n }],
      ['wrong_currency', { currency: 'USD' }],
    ])('with %s are genuine, and say so', async (name, proof) => {
      await site.sandbox.tell({ [name]: 1 });
      await site.deliveries(await site.paid(), 1);
      expect(last().outcome).toMatchObject({ state: { status: 'paid', proof } });
    });

    it('cannot be opened with another APIv3 key', async () => {
      await site.deliveries(await site.paid(), 1);
      const other = site.providerWith({ apiV3Key: 'k'.repeat(32) });
      await expect(other.verify(last())).rejects.toMatchObject({ fault: 'signature' });
    });

    it('cannot be given another body, time or nonce', async () => {
      await site.deliveries(await site.paid(), 1);
      const first = last();
      await site.deliveries(await site.paid(), 1);
      const second = last();
      const mixed: RawNotification[] = [
        { headers: first.headers, body: second.body },
        ...['timestamp', 'nonce', 'signature'].map((part) => ({
          headers: { ...first.headers, [`wechatpay-${part}`]: mutated(second.headers, part) },
          body: first.body,
        })),
      ];
      for (const forged of mixed)
        await expect(site.provider.verify(forged)).rejects.toMatchObject({ fault: 'signature' });
      await expect(site.provider.verify(first)).resolves.toEqual(first.outcome);
    });
  });

  describe('signed as they should be', () => {
    const platform = new OwnPlatform();
    let config: WechatConfig;
    let provider: WechatProvider;
    let transaction: Record<string, unknown>;

    beforeAll(() => {
      config = platform.configured(site.config);
      provider = new WechatProvider(config, { notifyUrl: NOTIFY_URL });
      transaction = {
        appid: config.appId,
        mchid: config.merchantId,
        out_trade_no: 'pay_1',
        transaction_id: '4200001',
        trade_state: 'SUCCESS',
        success_time: '2026-06-08T10:34:56+08:00',
        amount: { total: 100, payer_total: 90, currency: 'CNY', payer_currency: 'CNY' },
      };
    });

    const notified = (content: unknown, event = 'TRANSACTION.SUCCESS', forgery: Forgery = {}) =>
      provider.verify(platform.notification(config, event, content, forgery));
    const stateTold = async (changes: object) => {
      const told = (await notified({ ...transaction, ...changes })) as Extract<
        Notification,
        { about: 'payment' }
      >;
      return told.state;
    };

    it('prove what was paid, without what the payer was spared', async () => {
      expect(await notified(transaction)).toEqual({
        about: 'payment',
        paymentId: 'pay_1',
        state: {
          status: 'paid',
          proof: {
            reference: '4200001',
            amountMinor: 100n,
            currency: 'CNY',
            paidAt: new Date('2026-06-08T02:34:56.000Z'),
            payer: { name: null, email: null },
          },
        },
      });
    });

    it.each([
      ['NOTPAY', 'open'],
      ['USERPAYING', 'open'],
      ['ACCEPT', 'open'],
      ['CLOSED', 'expired'],
      ['REVOKED', 'expired'],
      ['PAYERROR', 'failed'],
      ['REFUND', 'failed'],
    ])('are no proof with the state %s', async (trade_state, status) => {
      expect(await stateTold({ trade_state })).toMatchObject({ status });
    });

    it.each(['REFUND.SUCCESS', 'REFUND.ABNORMAL', 'REFUND.CLOSED'])(
      'are about a refund with %s',
      async (event) => {
        const refund = { mchid: config.merchantId, out_refund_no: 'ref_1', refund_status: event };
        expect(await notified(refund, event)).toEqual({ about: 'refund', refundId: 'ref_1' });
        await expect(notified({ ...refund, mchid: '1900000001' }, event)).rejects.toMatchObject({
          fault: 'merchant',
        });
      },
    );

    it('are about nothing with other events', async () => {
      expect(await notified(transaction, 'COUPON.USE')).toEqual({ about: 'nothing' });
      expect(await notified(transaction, 'TRANSACTION.PAYSCORE')).toEqual({ about: 'nothing' });
    });

    it.each(['mchid', 'appid'])('are refused for another %s', async (name) => {
      await expect(notified({ ...transaction, [name]: 'wx1' })).rejects.toMatchObject({ fault: 'merchant' });
    });

    it.each<[string, object]>([
      ['no amount', { amount: undefined }],
      ['half a fen', { amount: { total: 1.5, currency: 'CNY' } }],
      ['a total in words', { amount: { total: '100', currency: 'CNY' } }],
      ['a negative total', { amount: { total: -1, currency: 'CNY' } }],
      ['more than can be counted', { amount: { total: 2 ** 53, currency: 'CNY' } }],
      ['no currency', { amount: { total: 100 } }],
      ['no transaction', { transaction_id: '' }],
      ['no order', { out_trade_no: undefined }],
      ['a time without a zone', { success_time: '2026-06-08 10:34:56' }],
      ['an unknown state', { trade_state: 'MAYBE' }],
    ])('are malformed with %s', async (_name, changes) => {
      await expect(notified({ ...transaction, ...changes })).rejects.toMatchObject({ fault: 'malformed' });
    });

    it.each([
      ['nothing', ''],
      ['no JSON', 'hello'],
      ['no event', '{"resource":{}}'],
      ['a list', '[]'],
      ['no resource', '{"event_type":"TRANSACTION.SUCCESS"}'],
      [
        'another cipher',
        '{"event_type":"TRANSACTION.SUCCESS","resource":{"algorithm":"NONE","ciphertext":"e30=","nonce":"1"}}',
      ],
    ])('are malformed with %s', async (_name, body) => {
      await expect(notified(transaction, '', { body })).rejects.toMatchObject({ fault: 'malformed' });
    });

    it('are malformed when the secret is no JSON', async () => {
      await expect(notified('{"appid":')).rejects.toMatchObject({ fault: 'malformed' });
    });

    it('are refused under another APIv3 key or name', async () => {
      const forgeries: Forgery[] = [
        { apiV3Key: 'k'.repeat(32) },
        { serial: 'PUB_KEY_ID_1' },
        { serial: 'A'.repeat(40) },
      ];
      for (const forgery of forgeries)
        await expect(notified(transaction, 'TRANSACTION.SUCCESS', forgery)).rejects.toMatchObject({
          fault: 'signature',
        });
    });

    it('are refused when their time is too far from now, either way', async () => {
      const now = Date.now() / 1000;
      const at = (timestamp: number | string) => notified(transaction, undefined, { timestamp });
      for (const offset of [-TOO_FAR_SECONDS, TOO_FAR_SECONDS])
        await expect(at(Math.round(now + offset))).rejects.toMatchObject({ fault: 'signature' });
      for (const offset of [-JUST_NEAR_SECONDS, JUST_NEAR_SECONDS])
        await expect(at(Math.round(now + offset))).resolves.toMatchObject({ about: 'payment' });
      for (const odd of [
        '',
        'now',
        `${now}`,
        `+${Math.round(now)}`,
        ` ${Math.round(now)}`,
        'NaN',
        'Infinity',
        '-1',
      ])
        await expect(at(odd)).rejects.toMatchObject({ fault: 'signature' });
    });

    it("are refused with the signature of WeChat Pay's probes, or with none", async () => {
      const genuine = platform.notification(config, 'TRANSACTION.SUCCESS', transaction);
      for (const signature of [TEST_SIGNATURE, '', undefined, ['x', 'y'], 'not base64!']) {
        const headers = { ...genuine.headers, 'wechatpay-signature': signature };
        const forged = { ...genuine, headers } as RawNotification;
        await expect(provider.verify(forged)).rejects.toMatchObject({ fault: 'signature' });
      }
      for (const name of Object.keys(genuine.headers)) {
        const headers = { ...genuine.headers, [name]: undefined };
        await expect(provider.verify({ ...genuine, headers })).rejects.toMatchObject({ fault: 'signature' });
      }
    });

    it('are refused when a single bit of them is another one', async () => {
      const { headers, body } = platform.notification(config, 'TRANSACTION.SUCCESS', transaction);
      const signature = Buffer.from(headers['wechatpay-signature'] as string, 'base64');
      const bit = (bytes: Buffer) =>
        fc.tuple(fc.nat(bytes.length - 1), fc.nat(7)).map(([at, shift]) => {
          const changed = Buffer.from(bytes);
          changed[at]! ^= 1 << shift;
          return changed;
        });
      const forged = fc.oneof(
        bit(body).map((changed) => ({ headers, body: changed })),
        bit(signature).map((changed) => ({
          headers: { ...headers, 'wechatpay-signature': changed.toString('base64') },
          body,
        })),
        fc.nat(body.length - 1).map((length) => ({ headers, body: body.subarray(0, length) })),
        fc.uint8Array({ minLength: 1 }).map((more) => ({ headers, body: Buffer.concat([body, more]) })),
      );
      await fc.assert(
        fc.asyncProperty(forged, async (notification) => {
          const refusal: unknown = await provider.verify(notification).catch((error: unknown) => error);
          expect(refusal).toBeInstanceOf(NotificationRefusal);
          expect(refusal).toMatchObject({ fault: 'signature' });
        }),
      );
    });
  });
});

/** The other notification's value; of a time, which may be the same, a second later. */
function mutated(headers: RawNotification['headers'], part: string): string {
  const value = String(headers[`wechatpay-${part}`]);
  return part === 'timestamp' ? String(Number(value) + 1) : value;
}
