import { rememberEnvironment } from '@inference/testing';
import { Formatter, Rsa, Wechatpay } from 'wechatpay-axios-plugin';
import { SandboxPayments } from '../sandbox-payments';

const NATIVE = '/v3/pay/transactions/native';
const NOTIFY_URL = 'http://merchant.test/notify';
const TEN_MINUTES = 600;

describe('WeChat Pay in the sandbox, with its client library', () => {
  let sandbox: SandboxPayments;
  let env: Record<string, string>;
  let library: Wechatpay;
  let count = 0;

  beforeAll(async () => {
    sandbox = await SandboxPayments.start({ site: 'cn' });
    env = sandbox.consoleEnvironment();
    rememberEnvironment(env);
    library = new Wechatpay({
      mchid: env.WECHAT_PAY_MERCHANT_ID!,
      serial: env.WECHAT_PAY_MERCHANT_SERIAL!,
      privateKey: env.WECHAT_PAY_MERCHANT_KEY!,
      certs: JSON.parse(env.WECHAT_PAY_PLATFORM_KEYS!) as Record<string, string>,
      baseURL: sandbox.url,
    });
  });
  afterEach(() => sandbox.injectFaults());
  afterAll(() => sandbox?.kill());

  const native = (changes: object = {}) => ({
    appid: env.WECHAT_PAY_APP_ID,
    mchid: env.WECHAT_PAY_MERCHANT_ID,
    description: 'Top-up',
    out_trade_no: `order_${++count}`,
    notify_url: NOTIFY_URL,
    amount: { total: 100, currency: 'CNY' },
    ...changes,
  });
  const call = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; data: unknown }> =>
    library.client.request(path, method, body).then(
      ({ status, data }: { status: number; data: unknown }) => ({ status, data }),
      ({ response }: { response: { status: number; data: unknown } }) => response,
    );
  const query = (id: string) =>
    call('get', `/v3/pay/transactions/out-trade-no/${id}?mchid=${env.WECHAT_PAY_MERCHANT_ID}`);
  const paid = async () => {
    const order = native();
    await call('post', NATIVE, order);
    await sandbox.act(order.out_trade_no, 'pay');
    return { id: order.out_trade_no, reference: (await sandbox.order(order.out_trade_no)).reference };
  };

  it('opens one order for the same parameters', async () => {
    const order = native();
    const first = await call('post', NATIVE, order);
    expect(first).toEqual({ status: 200, data: { code_url: `${sandbox.url}/orders/${order.out_trade_no}` } });
    expect(await call('post', NATIVE, order)).toEqual(first);
    const other = await call('post', NATIVE, { ...order, description: 'Something else' });
    expect(other).toMatchObject({ status: 403, data: { code: 'OUT_TRADE_NO_USED' } });
  });

  it.each<[string, object]>([
    ['/amount/total', { amount: { total: 1.5, currency: 'CNY' } }],
    ['/amount/total', { amount: { total: 0, currency: 'CNY' } }],
    ['/amount/currency', { amount: { total: 1, currency: 'USD' } }],
    ['/description', { description: 'x'.repeat(128) }],
    ['/out_trade_no', { out_trade_no: 'no spaces' }],
    ['/notify_url', { notify_url: 'http://merchant.test/notify?query' }],
    ['/time_expire', { time_expire: '2026-01-01 10:00:00' }],
  ])('names the faulty parameter %s', async (field, changes) => {
    const refusal = await call('post', NATIVE, native(changes));
    expect(refusal).toMatchObject({ status: 400, data: { code: 'PARAM_ERROR', detail: { field } } });
  });

  it('rejects another merchant', async () => {
    const otherApp = await call('post', NATIVE, native({ appid: 'wx1' }));
    expect(otherApp).toMatchObject({ status: 400, data: { code: 'APPID_MCHID_NOT_MATCH' } });
    const otherMerchant = await call('get', '/v3/pay/transactions/out-trade-no/order_1?mchid=1');
    expect(otherMerchant).toMatchObject({ status: 400, data: { code: 'PARAM_ERROR' } });
  });

  it('returns an order by either id', async () => {
    const { id, reference } = await paid();
    const answer = await query(id);
    expect(answer.data).toMatchObject({
      out_trade_no: id,
      transaction_id: reference,
      trade_state: 'SUCCESS',
      success_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/),
      amount: { total: 100, currency: 'CNY' },
    });
    const merchant = env.WECHAT_PAY_MERCHANT_ID;
    expect(await call('get', `/v3/pay/transactions/id/${reference}?mchid=${merchant}`)).toEqual(answer);
    expect(await query('order_0')).toMatchObject({ status: 404, data: { code: 'ORDER_NOT_EXIST' } });
  });

  it('closes an order with 204, and only one that is open', async () => {
    const order = native();
    await call('post', NATIVE, order);
    const close = (id: string) =>
      call('post', `/v3/pay/transactions/out-trade-no/${id}/close`, { mchid: env.WECHAT_PAY_MERCHANT_ID });
    expect(await close(order.out_trade_no)).toEqual({ status: 204, data: '' });
    expect((await query(order.out_trade_no)).data).toMatchObject({ trade_state: 'CLOSED' });
    expect(await close(order.out_trade_no)).toMatchObject({ status: 400, data: { code: 'ORDER_CLOSED' } });
    expect(await close((await paid()).id)).toMatchObject({ status: 400, data: { code: 'ORDERPAID' } });
  });

  it('refunds once per refund number, and no more than the paid amount', async () => {
    const { id, reference } = await paid();
    const refund = (out_refund_no: string, refunded: number) =>
      call('post', '/v3/refund/domestic/refunds', {
        transaction_id: reference,
        out_refund_no,
        amount: { refund: refunded, total: 100, currency: 'CNY' },
      });
    expect((await refund(`${id}_a`, 60)).data).toMatchObject({
      status: 'PROCESSING',
      amount: { refund: 60 },
    });
    const again = await refund(`${id}_a`, 60);
    expect(again.data).toMatchObject({ status: 'SUCCESS' });
    expect(await call('get', `/v3/refund/domestic/refunds/${id}_a`)).toEqual(again);
    const invalid = { status: 400, data: { code: 'INVALID_REQUEST' } };
    expect(await refund(`${id}_a`, 10)).toMatchObject(invalid);
    expect(await refund(`${id}_b`, 41)).toMatchObject(invalid);
    expect((await sandbox.order(id)).refunds).toHaveLength(1);
    expect((await query(id)).data).toMatchObject({ trade_state: 'REFUND' });
    const unknown = await call('get', '/v3/refund/domestic/refunds/refund_0');
    expect(unknown).toMatchObject({ status: 404, data: { code: 'RESOURCE_NOT_EXISTS' } });
  });

  it('answers 404 for certificates of a merchant with a public key, and for other paths', async () => {
    expect(await call('get', '/v3/certificates')).toEqual({ status: 200, data: { data: [] } });
    expect(await call('get', '/v3/pay/transactions/jsapi')).toMatchObject({ status: 404 });
  });

  describe('rejects requests that the merchant has not signed', () => {
    let id: string;
    beforeAll(async () => ({ id } = await paid()));

    const target = () => `/v3/pay/transactions/out-trade-no/${id}?mchid=${env.WECHAT_PAY_MERCHANT_ID}`;
    const signed = (changes: {
      method?: string;
      path?: string;
      age?: number;
      body?: string;
      scheme?: string;
    }) => {
      const timestamp = Formatter.timestamp() - (changes.age ?? 0);
      const text = Formatter.request(
        changes.method ?? 'GET',
        changes.path ?? target(),
        timestamp,
        'NONCE',
        changes.body ?? '',
      );
      const signature = Rsa.sign(text, env.WECHAT_PAY_MERCHANT_KEY!);
      const [mchid, serial] = [env.WECHAT_PAY_MERCHANT_ID!, env.WECHAT_PAY_MERCHANT_SERIAL!];
      return Formatter.authorization(mchid, 'NONCE', signature, timestamp, serial);
    };
    const statusWith = async (authorization?: string) => {
      const headers = new Headers(authorization === undefined ? {} : { Authorization: authorization });
      const response = await fetch(sandbox.url + target(), { headers });
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code}`;
    };

    it('as it is', async () => {
      expect(await statusWith(signed({}))).toBe('200 undefined');
      for (const changes of [
        { method: 'POST' },
        { path: '/' },
        { body: '{}' },
        { age: TEN_MINUTES },
        { age: -TEN_MINUTES },
      ])
        expect(await statusWith(signed(changes))).toBe('401 SIGN_ERROR');
    });

    it('in its own name', async () => {
      const genuine = signed({});
      expect(await statusWith()).toBe('401 SIGN_ERROR');
      expect(await statusWith(genuine.replace('WECHATPAY2-SHA256', 'WECHATPAY2-SM3'))).toBe('401 SIGN_ERROR');
      expect(await statusWith(genuine.replace('mchid="', 'mchid="2'))).toBe('401 SIGN_ERROR');
      expect(await statusWith(genuine.replace('serial_no="', 'serial_no="A'))).toBe('401 SIGN_ERROR');
    });
  });
});
