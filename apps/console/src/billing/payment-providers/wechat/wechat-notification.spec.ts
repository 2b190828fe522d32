import fc from 'fast-check';
import {
  InvalidNotificationError,
  type ProviderNotification,
  type RawNotification,
} from '../payment-provider';
import { type WechatConfig } from '../payment-providers.config';
import { WechatProvider } from './wechat-provider';
import { FakePlatform, type Forgery, NOTIFY_URL, WechatSandbox } from './wechat.fixture';

const TEST_SIGNATURE = 'WECHATPAY/SIGNTEST/jtmPF8CBSlqHVuB5EKCKc4aSYnPMhQGwDpKm6Hpy2A==';
const REJECTED_OFFSET_SECONDS = 310;
const ACCEPTED_OFFSET_SECONDS = 290;

describe('WeChat Pay notifications', () => {
  let site: WechatSandbox;

  beforeAll(async () => (site = await WechatSandbox.start()));
  afterEach(() => site.resetFaults());
  afterAll(() => site?.stop());

  const last = () => site.merchant.received.at(-1)!;

  describe('of the sandbox', () => {
    it('prove a payment and are acknowledged', async () => {
      const order = await site.payOrder();
      expect(await site.deliveries(order, 1)).toMatchObject([
        { status: 200, acknowledged: true, body: JSON.stringify({ code: 'SUCCESS', message: '成功' }) },
      ]);
      const state = await site.provider.query(order);
      expect(last().outcome).toEqual({ about: 'payment', paymentId: order.paymentId, state });
      expect(state.status).toBe('paid');
    });

    it('report a refund', async () => {
      const order = await site.payOrder();
      await site.deliveries(order, 1);
      const refund = await site.refundOf(order);
      await site.provider.refund(refund);
      await site.deliveries(order, 2);
      expect(last().outcome).toMatchObject({ about: 'refund', refundId: refund.refundId });
    });

    it('are not sent for a failed, expired or closed order', async () => {
      for (const end of ['fail', 'expire', 'close'] as const) {
        const order = await site.openOrder();
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
    ])(
      'notifications with %s are rejected for the %s and accepted when they are correct',
      async (name, reason) => {
        await site.sandbox.injectFaults({ duplicate: 2, [name]: 1 });
        const before = site.merchant.received.length;
        const order = await site.payOrder();
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
        expect(outcomes).toContainEqual(expect.objectContaining({ reason }));
        expect(outcomes).toContainEqual(expect.objectContaining({ paymentId: order.paymentId }));
      },
    );

    it.each([
      ['wrong_amount', { amountMinor: 12_346n }],
      ['wrong_currency', { currency: 'USD' }],
    ])('notifications with %s are genuine and passed on unchanged', async (name, proof) => {
      await site.sandbox.injectFaults({ [name]: 1 });
      await site.deliveries(await site.payOrder(), 1);
      expect(last().outcome).toMatchObject({ state: { status: 'paid', proof } });
    });

    it('cannot be decrypted with another APIv3 key', async () => {
      await site.deliveries(await site.payOrder(), 1);
      const other = site.providerWith({ apiV3Key: 'k'.repeat(32) });
      await expect(other.verify(last())).rejects.toMatchObject({ reason: 'signature' });
    });

    it('cannot be given another body, timestamp or nonce', async () => {
      await site.deliveries(await site.payOrder(), 1);
      const first = last();
      await site.deliveries(await site.payOrder(), 1);
      const second = last();
      const mixed: RawNotification[] = [
        { headers: first.headers, body: second.body },
        ...['timestamp', 'nonce', 'signature'].map((part) => ({
          headers: { ...first.headers, [`wechatpay-${part}`]: mutated(second.headers, part) },
          body: first.body,
        })),
      ];
      for (const forged of mixed)
        await expect(site.provider.verify(forged)).rejects.toMatchObject({ reason: 'signature' });
      await expect(site.provider.verify(first)).resolves.toEqual(first.outcome);
    });
  });

  describe('with a valid signature', () => {
    const platform = new FakePlatform();
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
      const result = (await notified({ ...transaction, ...changes })) as Extract<
        ProviderNotification,
        { about: 'payment' }
      >;
      return result.state;
    };

    it("prove the total before WeChat Pay's own discounts", async () => {
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
      'report a refund with %s',
      async (event) => {
        const refund = { mchid: config.merchantId, out_refund_no: 'ref_1', refund_status: event };
        expect(await notified(refund, event)).toMatchObject({
          about: 'refund',
          refundId: 'ref_1',
          event: { type: event, kind: 'refund', status: event },
        });
        await expect(notified({ ...refund, mchid: '1900000001' }, event)).rejects.toMatchObject({
          reason: 'merchant',
        });
      },
    );

    it.each([
      ['COUPON.USE', 'other'],
      ['TRANSACTION.PAYSCORE', 'other'],
      ['COMPLAINT.CREATE', 'dispute'],
    ])('are for a person with %s', async (event, kind) => {
      expect(await notified(transaction, event)).toMatchObject({
        about: 'event',
        event: { type: event, kind, payment: { id: transaction.out_trade_no } },
      });
      await expect(notified({ ...transaction, mchid: '1900000001' }, event)).rejects.toMatchObject({
        reason: 'merchant',
      });
    });

    it.each(['mchid', 'appid'])('are rejected for another %s', async (name) => {
      await expect(notified({ ...transaction, [name]: 'wx1' })).rejects.toMatchObject({ reason: 'merchant' });
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
      await expect(notified({ ...transaction, ...changes })).rejects.toMatchObject({ reason: 'malformed' });
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
      await expect(notified(transaction, '', { body })).rejects.toMatchObject({ reason: 'malformed' });
    });

    it('are malformed when the decrypted resource is no JSON', async () => {
      await expect(notified('{"appid":')).rejects.toMatchObject({ reason: 'malformed' });
    });

    it('are rejected under another APIv3 key or associated data', async () => {
      const forgeries: Forgery[] = [
        { apiV3Key: 'k'.repeat(32) },
        { serial: 'PUB_KEY_ID_1' },
        { serial: 'A'.repeat(40) },
      ];
      for (const forgery of forgeries)
        await expect(notified(transaction, 'TRANSACTION.SUCCESS', forgery)).rejects.toMatchObject({
          reason: 'signature',
        });
    });

    it('are rejected with a timestamp too far in the past or future', async () => {
      const now = Date.now() / 1000;
      const at = (timestamp: number | string) => notified(transaction, undefined, { timestamp });
      for (const offset of [-REJECTED_OFFSET_SECONDS, REJECTED_OFFSET_SECONDS])
        await expect(at(Math.round(now + offset))).rejects.toMatchObject({ reason: 'signature' });
      for (const offset of [-ACCEPTED_OFFSET_SECONDS, ACCEPTED_OFFSET_SECONDS])
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
        await expect(at(odd)).rejects.toMatchObject({ reason: 'signature' });
    });

    it("are rejected with the signature of WeChat Pay's probes and without one", async () => {
      const genuine = platform.notification(config, 'TRANSACTION.SUCCESS', transaction);
      for (const signature of [TEST_SIGNATURE, '', undefined, ['x', 'y'], 'not base64!']) {
        const headers = { ...genuine.headers, 'wechatpay-signature': signature };
        const forged = { ...genuine, headers } as RawNotification;
        await expect(provider.verify(forged)).rejects.toMatchObject({ reason: 'signature' });
      }
      for (const name of Object.keys(genuine.headers)) {
        const headers = { ...genuine.headers, [name]: undefined };
        await expect(provider.verify({ ...genuine, headers })).rejects.toMatchObject({ reason: 'signature' });
      }
    });

    it('are rejected after the change of a single bit', async () => {
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
          expect(refusal).toBeInstanceOf(InvalidNotificationError);
          expect(refusal).toMatchObject({ reason: 'signature' });
        }),
      );
    });
  });
});

/** The value of the other notification; a second later for a timestamp, which may be equal. */
function mutated(headers: RawNotification['headers'], part: string): string {
  const value = String(headers[`wechatpay-${part}`]);
  return part === 'timestamp' ? String(Number(value) + 1) : value;
}
