import { Socket } from 'node:net';
import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { newOrder, NOTIFY_URL, FakeAlipay, refundOf } from './alipay.fixture';
import { AlipayProvider } from './alipay-provider';

const QUERY = 'alipay.trade.query';
const REFUND = 'alipay.trade.refund';
const REFUND_QUERY = 'alipay.trade.fastpay.refund.query';

const order = newOrder({ paymentId: 'pay_1234567890' });
const PAID = {
  code: '10000',
  msg: 'Success',
  buyer_logon_id: '159****5620',
  buyer_user_id: '2088000011112222',
  out_trade_no: order.paymentId,
  send_pay_date: '2026-06-08 10:34:56',
  total_amount: '123.45',
  trade_no: '2026060822001004330000121536',
  trade_status: 'TRADE_SUCCESS',
};
const PROOF = {
  reference: PAID.trade_no,
  amountMinor: 12_345n,
  currency: 'CNY',
  paidAt: new Date('2026-06-08T02:34:56Z'),
  payer: { name: null, email: null },
};

describe('Alipay responses', () => {
  let alipay: FakeAlipay;

  beforeAll(async () => {
    alipay = await new FakeAlipay().start();
  });
  afterAll(() => alipay.stop());

  const queried = (fields: object) => {
    alipay.answer = alipay.signedAnswer(QUERY, fields);
    return alipay.provider.query(order);
  };

  it('leave the sockets of the process as they are: one error can destroy two of them', async () => {
    await queried(PAID);
    const error = new Error('broken off');
    for (const socket of [new Socket(), new Socket()]) {
      const raised = new Promise((resolve) => socket.once('error', resolve));
      socket.destroy(error);
      expect(await raised).toBe(error);
    }
  });

  describe('response of a query', () => {
    it('is a proof when it is signed', async () => {
      expect(await queried(PAID)).toEqual({ status: 'paid', proof: PROOF });
      expect(await queried({ ...PAID, trade_status: 'TRADE_FINISHED' })).toEqual({
        status: 'paid',
        proof: PROOF,
      });
    });

    it.each([
      ['0.1', 10n],
      ['100', 10_000n],
      ['0.07', 7n],
      [0.1, 10n],
      [100, 10_000n],
      ['99999999999.99', 9_999_999_999_999n],
    ])('reads the amount %p', async (total_amount, amountMinor) => {
      expect(await queried({ ...PAID, total_amount })).toMatchObject({ proof: { amountMinor } });
    });

    it.each(['1.234', '1.230', '1e2', '-1', '', ' 1', '1,00', '１', '0x1', null, 1.234, '1.'])(
      'throws ProviderUnavailableError for the amount %p',
      async (total_amount) => {
        await expect(queried({ ...PAID, total_amount })).rejects.toThrow(ProviderUnavailableError);
      },
    );

    it.each([
      ['trade_no', undefined],
      ['trade_no', ''],
      ['send_pay_date', undefined],
      ['send_pay_date', '2026-06-08T10:34:56Z'],
      ['send_pay_date', '2026-13-08 10:34:56'],
      ['trade_status', 'TRADE_WHATEVER'],
    ])('throws ProviderUnavailableError when %s is %p', async (name, value) => {
      await expect(queried({ ...PAID, [name]: value })).rejects.toThrow(ProviderUnavailableError);
    });

    it('reads the currency of the amount', async () => {
      expect(await queried({ ...PAID, pay_currency: 'CNY', trans_currency: 'USD' })).toMatchObject({
        proof: { currency: 'USD' },
      });
    });

    it('is rejected for another order', async () => {
      await expect(queried({ ...PAID, out_trade_no: 'pay_another' })).rejects.toThrow(
        ProviderUnavailableError,
      );
    });

    it.each([
      ['20000', 'aop.unknow-error'],
      ['40004', 'ACQ.SYSTEM_ERROR'],
      ['40004', 'aop.ACQ.SYSTEM_ERROR'],
      ['40005', 'isv.app-call-limited'],
      ['99999', undefined],
    ])('is inconclusive with %s %s', async (code, sub_code) => {
      await expect(queried({ code, sub_code })).rejects.toThrow(ProviderUnavailableError);
    });

    it.each(['40001', '40002', '40003', '40006', '20001'])('is a refusal with %s', async (code) => {
      await expect(queried({ code, sub_code: 'isv.something' })).rejects.toStrictEqual(
        new ProviderRefusedError(`${QUERY}: ${code} isv.something`),
      );
    });

    it('does not appear in the error message', async () => {
      await expect(queried({ code: '40002', sub_code: 'a\nb 13912345678' })).rejects.toThrow(
        `${QUERY}: 40002 ?`,
      );
      alipay.answer = JSON.stringify({ [`alipay_trade_query_response`]: PAID, sign: 'AAAA' });
      await expect(alipay.provider.query(order)).rejects.toStrictEqual(
        new ProviderUnavailableError(
          `${QUERY}: its answer is not signed with Alipay's key (it says 10000 ?)`,
        ),
      );
    });

    it('is subject to the time limit even when it arrives in pieces', async () => {
      alipay.drips = true;
      const shortLimited = new AlipayProvider(alipay.config, { notifyUrl: NOTIFY_URL, callLimitMs: 500 });
      await expect(shortLimited.query(order)).rejects.toStrictEqual(
        new ProviderUnavailableError(`${QUERY}: no answer in time`),
      );
      alipay.drips = false;
    });

    it.each<[string, (signed: string) => string]>([
      ['without a signature', (signed) => `{${signed.split(',"sign"')[0]!.slice(1)}}`],
      ['with an empty signature', (signed) => signed.replace(/"sign":"[^"]*"/, '"sign":""')],
      ['with another amount', (signed) => signed.replace('123.45', '1230.45')],
      ['with white space that was not signed', (signed) => signed.replace('"code":', '"code": ')],
      [
        'with a second part of the same name',
        (signed) =>
          `${signed.slice(0, -1)},"alipay_trade_query_respons\\u0065":${JSON.stringify({ ...PAID, total_amount: '9.00' })}}`,
      ],
      [
        'with an error in place of what is signed',
        (signed) =>
          `${signed.slice(0, -1)},"alipay_trade_query_respons\\u0065":null,"error_response":${JSON.stringify(PAID)}}`,
      ],
    ])('is rejected %s', async (_how, forge) => {
      alipay.answer = forge(alipay.signedAnswer(QUERY, PAID));
      await expect(alipay.provider.query(order)).rejects.toThrow(ProviderUnavailableError);
    });
  });

  describe('refund', () => {
    const refund = refundOf(order, PAID.trade_no);
    const refunded = (first: object, second: object) => {
      alipay.methods.length = 0;
      alipay.answer = (method) => alipay.signedAnswer(method, method === REFUND ? first : second);
      return alipay.provider.refund(refund);
    };
    const OK = { code: '10000', msg: 'Success' };
    const MADE = { ...OK, refund_status: 'REFUND_SUCCESS', out_request_no: refund.refundId };
    const NO = { code: '40004', sub_code: 'ACQ.SELLER_BALANCE_NOT_ENOUGH' };
    const succeeded = { status: 'succeeded', reference: refund.refundId };

    it('succeeds when funds have changed', async () => {
      expect(await refunded({ ...OK, fund_change: 'Y' }, {})).toEqual(succeeded);
      expect(alipay.methods).toEqual([REFUND]);
    });

    it.each([{ fund_change: 'N' }, {}])('is queried when no funds have changed (%p)', async (fields) => {
      expect(await refunded({ ...OK, ...fields }, MADE)).toEqual(succeeded);
      expect(alipay.methods).toEqual([REFUND, REFUND_QUERY]);
      const pending = { status: 'pending', reference: null };
      expect(await refunded({ ...OK, ...fields }, OK)).toEqual(pending);
      expect(await refunded({ ...OK, ...fields }, { ...MADE, out_request_no: 'rfd_other' })).toEqual(pending);
      expect(await refunded({ ...OK, ...fields }, { ...MADE, refund_status: 'REFUND_PROCESSING' })).toEqual(
        pending,
      );
    });

    it('fails only when the query finds no refund', async () => {
      expect(await refunded(NO, OK)).toEqual({ status: 'failed', reason: NO.sub_code });
      expect(await refunded(NO, { code: '40004', sub_code: 'ACQ.TRADE_NOT_EXIST' })).toMatchObject({
        status: 'failed',
      });
      expect(await refunded(NO, MADE)).toEqual(succeeded);
      await expect(refunded(NO, { code: '20000' })).rejects.toThrow(ProviderUnavailableError);
    });

    it('is refused only when the query finds no refund', async () => {
      const refusal = { code: '40006', sub_code: 'isv.insufficient-isv-permissions' };
      await expect(refunded(refusal, OK)).rejects.toBeInstanceOf(ProviderRefusedError);
      expect(await refunded(refusal, MADE)).toEqual(succeeded);
      await expect(refunded(refusal, refusal)).rejects.toThrow(ProviderUnavailableError);
    });
  });
});
