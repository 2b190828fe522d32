import { type ProviderOrder, ProviderUnavailableError, type RefundRequest } from '../payment-provider';
import { newOrder, WechatSandbox } from './wechat.fixture';
import { type WechatProvider } from './wechat-provider';

const SHORT_LIMIT_MS = 300;

describe('faults of WeChat Pay', () => {
  let site: WechatSandbox;
  let provider: WechatProvider;

  beforeAll(async () => {
    site = await WechatSandbox.start();
    ({ provider } = site);
  });
  afterEach(() => site.resetFaults());
  afterAll(() => site?.stop());

  const call = {
    open: async () => ({
      ask: (by: WechatProvider, order: ProviderOrder) => by.open(order),
      order: newOrder(),
    }),
    query: async () => ({
      ask: (by: WechatProvider, order: ProviderOrder) => by.query(order),
      order: await site.openOrder(),
    }),
    close: async () => ({
      ask: (by: WechatProvider, order: ProviderOrder) => by.close(order),
      order: await site.openOrder(),
    }),
    refund: async () => {
      const order = await site.payOrder();
      const refund: RefundRequest = await site.refundOf(order);
      return { ask: (by: WechatProvider) => by.refund(refund), order };
    },
  };
  type Call = keyof typeof call;
  const CALLS = Object.keys(call) as Call[];

  it.each(CALLS)('%s throws ProviderUnavailableError', async (name) => {
    for (const trouble of [500, 502, 503, 429, 'lost', 'garbage', 'unsigned'] as const) {
      const { ask, order } = await call[name]();
      await site.sandbox.injectFaults({ api: { [name]: trouble } });
      await expect(ask(provider, order)).rejects.toThrow(ProviderUnavailableError);
      await site.sandbox.injectFaults();
    }
  });

  it.each(CALLS)('%s ends within the time limit', async (name) => {
    const { ask, order } = await call[name]();
    await site.sandbox.injectFaults({ api: { [name]: 'hang' } });
    const shortLimited = site.providerWith({}, { timeoutMs: SHORT_LIMIT_MS });
    await expect(ask(shortLimited, order)).rejects.toThrow(ProviderUnavailableError);
  });

  it.each([
    [404, '<html>not found</html>'],
    [404, '{}'],
    [404, '{"code":"SYSTEM_ERROR","message":""}'],
    [403, '{"code":"FREQUENCY_LIMITED","message":""}'],
    [429, '{"code":"RULE_LIMIT","message":""}'],
  ])('does not take %i %s for a refusal', async (status, body) => {
    site.proxy.change = () => ({ status, headers: {}, body });
    await expect(provider.query(newOrder())).rejects.toThrow(ProviderUnavailableError);
  });

  it('keeps keys out of the error of an unreachable server', async () => {
    const nowhere = site.providerWith({ apiUrl: 'http://127.0.0.1:1' });
    const error: Error = await nowhere.query(newOrder()).then(
      () => Promise.reject(new Error('there was an answer')),
      (thrown: Error) => thrown,
    );
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error.message).toContain('ECONNREFUSED');
    expect(Object.keys(error)).toEqual([]);
    expect(error.cause).toBeUndefined();
  });
});
