import { createPrivateKey, createPublicKey, createSign, createVerify } from 'node:crypto';
import { Socket } from 'node:net';
import { rememberEnvironment } from '@inference/testing';
import { AlipaySdk } from 'alipay-sdk';
import { SandboxPayments } from '../sandbox-payments';
import { chinaTime } from './china-time';
import { contentOf } from './signing';

const QUERY = 'alipay.trade.query';
const DAY_MS = 86_400_000;

describe("Alipay's gateway", () => {
  let sandbox: SandboxPayments;
  let environment: Record<string, string>;
  let sdk: AlipaySdk;
  let orders = 0;

  beforeAll(async () => {
    sandbox = await SandboxPayments.start({ site: 'cn' });
    environment = sandbox.consoleEnvironment();
    rememberEnvironment(environment);
    sdk = new AlipaySdk({
      appId: environment.ALIPAY_APP_ID!,
      privateKey: environment.ALIPAY_APP_KEY!.trim(),
      keyType: 'PKCS8',
      alipayPublicKey: environment.ALIPAY_PUBLIC_KEY!.trim(),
      gateway: environment.ALIPAY_GATEWAY_URL!,
      camelcase: false,
    });
  });
  afterAll(async () => {
    // The SDK's HTTP client replaces it for all files of the test worker.
    delete (Socket.prototype as Partial<Socket>).destroy;
    await sandbox?.stop();
  });

  const newTrade = (changes: object = {}) => ({
    out_trade_no: `pay_${++orders}`,
    total_amount: '1.05',
    subject: '充值',
    product_code: 'QR_CODE_OFFLINE',
    ...changes,
  });
  const call = (method: string, bizContent: Record<string, unknown>) =>
    sdk.exec(method, { bizContent, notifyUrl: 'http://merchant.test/notify' }, { validateSign: true });

  /** A request of the SDK with these parameters replaced. `undefined` removes a parameter. */
  async function send(changes: Record<string, string | undefined>, signType = 'RSA-SHA256') {
    const notification = {
      app_id: environment.ALIPAY_APP_ID,
      biz_content: '{"out_trade_no":"pay_none"}',
      charset: 'utf-8',
      method: QUERY,
      sign_type: 'RSA2',
      timestamp: chinaTime(Date.now()),
      version: '1.0',
      ...changes,
    };
    const parameters = JSON.parse(JSON.stringify(notification)) as Record<string, string>;
    const key = createPrivateKey(environment.ALIPAY_APP_KEY!);
    const sign = createSign(signType)
      .update(contentOf(parameters, ['sign']))
      .sign(key, 'base64');
    const body = new URLSearchParams({ sign, ...parameters });
    return (await fetch(environment.ALIPAY_GATEWAY_URL!, { method: 'POST', body })).text();
  }

  it('opens, queries and refunds a trade', async () => {
    const { out_trade_no, ...trade } = newTrade();
    expect(await call('alipay.trade.precreate', { out_trade_no, ...trade })).toMatchObject({
      code: '10000',
      msg: 'Success',
      out_trade_no,
      qr_code: `${sandbox.url}/orders/${out_trade_no}`,
    });
    expect(await call(QUERY, { out_trade_no })).toMatchObject({
      trade_status: 'WAIT_BUYER_PAY',
      total_amount: '1.05',
    });
    await sandbox.act(out_trade_no, 'pay', { email: 'zhangsan@example.com' });
    const paid = await call(QUERY, { out_trade_no });
    expect(paid).toMatchObject({ trade_status: 'TRADE_SUCCESS', buyer_logon_id: 'zha***@example.com' });
    expect(paid.trade_no).toMatch(/^\d{28}$/);
    const refund = { trade_no: paid.trade_no as string, refund_amount: '1', out_request_no: 'rfd_1' };
    expect(await call('alipay.trade.refund', refund)).toMatchObject({ fund_change: 'Y', refund_fee: '1.00' });
    expect(await call('alipay.trade.refund', refund)).toMatchObject({ fund_change: 'N', refund_fee: '1.00' });
    const rest = { ...refund, refund_amount: '0.05', out_request_no: 'rfd_2' };
    expect(await call('alipay.trade.refund', rest)).toMatchObject({ fund_change: 'Y', refund_fee: '1.05' });
    expect(await call(QUERY, { out_trade_no })).toMatchObject({ trade_status: 'TRADE_CLOSED' });
  });

  it('signs the text of its responses, in which slashes are escaped', async () => {
    const text = await send({ method: 'alipay.trade.precreate', biz_content: JSON.stringify(newTrade()) });
    const [, inner, sign] = /^\{"alipay_trade_precreate_response":(\{.*\}),"sign":"([^"]+)"\}$/.exec(text)!;
    expect(inner).toContain(String.raw`"qr_code":"http:\/\/`);
    const key = createPublicKey(environment.ALIPAY_PUBLIC_KEY!);
    expect(createVerify('RSA-SHA256').update(inner!).verify(key, sign!, 'base64')).toBe(true);
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['another app', { app_id: '2021000000000000' }, 'isv.invalid-app-id'],
    ['no method', { method: undefined }, 'isv.invalid-method'],
    ['a method that it has not', { method: 'toString' }, 'isv.invalid-method'],
    ['a signature of something else', { sign: 'AAAA' }, 'isv.invalid-signature'],
    ['a weaker signature', { sign_type: 'RSA' }, 'isv.invalid-signature-type'],
    ['another charset', { charset: 'gbk' }, 'isv.invalid-charset'],
    ['another version', { version: '2.0' }, 'isv.invalid-version'],
    ['a time that is none', { timestamp: '2026-06-08T10:34:56Z' }, 'isv.invalid-timestamp'],
    ['content that is no JSON', { biz_content: '{' }, 'isv.invalid-parameter'],
    ['no content', { biz_content: undefined }, 'isv.invalid-parameter'],
    ['no trade', { biz_content: '{}' }, 'ACQ.INVALID_PARAMETER'],
    ['a trade that it has not', {}, 'ACQ.TRADE_NOT_EXIST'],
    ['an address with a query', { notify_url: 'http://merchant.test/?a=1' }, 'isv.invalid-notify-url'],
  ])('refuses a request with %s', async (_what, changes, subCode) => {
    expect(await send(changes)).toContain(`"sub_code":"${subCode}"`);
  });

  it('rejects a request without a signature, or with a SHA-1 signature that is declared as SHA-256', async () => {
    expect(await send({}, 'RSA-SHA1')).toContain('isv.invalid-signature');
    const bare = await fetch(
      `${environment.ALIPAY_GATEWAY_URL}?app_id=${environment.ALIPAY_APP_ID}&method=${QUERY}`,
    );
    expect(await bare.text()).toContain('isv.missing-signature');
  });

  it.each([
    ['half a fen', { total_amount: '1.005' }],
    ['no amount', { total_amount: '0' }],
    ['a number for an amount', { total_amount: 1 }],
    ['less than nothing', { total_amount: '-1' }],
    ['a slash in its subject', { subject: 'a/b' }],
    ['no subject', { subject: '' }],
    ['a long subject', { subject: '充'.repeat(257) }],
    ['a dash in its name', { out_trade_no: 'pay-1' }],
    ['a product that is none for codes', { product_code: 'FAST_INSTANT_TRADE_PAY' }],
    ['another seller', { seller_id: '2088000000000000' }],
    ['a day for a time', { time_expire: '2026-06-08' }],
    ['a time that is over', { time_expire: chinaTime(Date.now() - DAY_MS) }],
  ])('refuses a trade with %s', async (_what, changes) => {
    expect(await call('alipay.trade.precreate', newTrade(changes))).toMatchObject({
      code: '40004',
      sub_code: 'ACQ.INVALID_PARAMETER',
    });
  });
});
