import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { AlipaySandbox, newOrder, newPrivateKey } from './alipay.fixture';

/** Only the call that hangs may take this long. */
const SHORT_LIMIT_MS = 1_000;

describe('faults of Alipay', () => {
  let site: AlipaySandbox;

  beforeAll(async () => {
    site = await AlipaySandbox.start();
  });
  afterEach(() => site.sandbox.injectFaults());
  afterAll(() => site?.stop());

  const calls = {
    open: async () => site.provider.open(newOrder()),
    query: async () => site.provider.query(await site.openOrder()),
    close: async () => site.provider.close(await site.openOrder()),
    refund: async () => site.provider.refund(await site.refundOf(await site.payOrder())),
  };
  type Call = keyof typeof calls;

  const faults = [429, 500, 503, 'garbage', 'unsigned', 'lost'] as const;
  it.each((Object.keys(calls) as Call[]).flatMap((call) => faults.map((fault) => [call, fault] as const)))(
    'of %s (%s) throws ProviderUnavailableError',
    async (call, fault) => {
      await site.sandbox.injectFaults({ api: { [call]: fault } });
      await expect(calls[call]()).rejects.toThrow(ProviderUnavailableError);
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
  ] as const)('of %s (%s) throws ProviderRefusedError', async (call, status) => {
    await site.sandbox.injectFaults({ api: { [call]: status } });
    await expect(calls[call]()).rejects.toThrow(ProviderRefusedError);
  });

  it('a refused call (400) makes the refund fail', async () => {
    await site.sandbox.injectFaults({ api: { refund: 400 } });
    expect(await calls.refund()).toEqual({ status: 'failed', reason: 'ACQ.INVALID_PARAMETER' });
  });

  it.each(['open', 'query', 'close', 'refund'] as const)(
    'ends %s within the time limit when no response comes',
    async (call) => {
      const order = call === 'open' ? newOrder() : await site.payOrder();
      const shortLimited = site.providerWith({}, SHORT_LIMIT_MS);
      const refund = call === 'refund' && (await site.refundOf(order));
      await site.sandbox.injectFaults({ api: { [call]: 'hang' } });
      await expect(
        refund ? shortLimited.refund(refund) : shortLimited[call as 'open'](order),
      ).rejects.toThrow(ProviderUnavailableError);
    },
  );

  it('throws ProviderUnavailableError when the gateway is unreachable', async () => {
    const lost = site.providerWith({ gatewayUrl: 'http://127.0.0.1:1/gateway.do' });
    await expect(lost.query(newOrder())).rejects.toStrictEqual(
      new ProviderUnavailableError('alipay.trade.query: no answer (ECONNREFUSED)'),
    );
  });

  it('reports a refused signature or app by its codes', async () => {
    const wrongKey = site.providerWith({ appKey: newPrivateKey() });
    await expect(wrongKey.open(newOrder())).rejects.toStrictEqual(
      new ProviderRefusedError('alipay.trade.precreate: 40002 isv.invalid-signature'),
    );
    const otherApp = site.providerWith({ appId: '2021000000000000' });
    await expect(otherApp.open(newOrder())).rejects.toStrictEqual(
      new ProviderUnavailableError(
        "alipay.trade.precreate: its answer is not signed with Alipay's key (it says 40002 isv.invalid-app-id)",
      ),
    );
  });
});
