import { type PaymentBody, PaymentSite, PROVIDERS } from './payments.fixture';

describe('provider that does not answer', () => {
  const sites = new Map<string, PaymentSite>();
  beforeAll(async () => {
    for (const site of ['intl', 'cn'] as const) sites.set(site, await PaymentSite.start(site));
  });
  afterAll(async () => {
    for (const site of sites.values()) await site.stop();
  });

  // Concurrently, since each request takes the whole time limit of its provider.
  it('makes a new payment answer 503, and continue with its idempotency key', async () => {
    const tell = async (behaviour: Parameters<PaymentSite['sandbox']['injectFaults']>[0]) => {
      for (const site of sites.values()) await site.sandbox.injectFaults({ drop: true, ...behaviour });
    };
    const accounts = await Promise.all(PROVIDERS.map(([, site]) => sites.get(site)!.site.signedIn()));
    const create = () =>
      Promise.all(
        PROVIDERS.map(([provider, site], i) =>
          sites.get(site)!.create(accounts[i]!, { provider, amount: 20 }, { 'Idempotency-Key': 'timeout' }),
        ),
      );
    await tell({ api: { open: 'hang' } });
    expect((await create()).map(({ status }) => status)).toEqual([503, 503, 503]);
    await tell({});
    const answers = await create();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    await Promise.all(
      PROVIDERS.map(async ([, site], i) => {
        const payments = sites.get(site)!;
        const { id } = answers[i]!.body as PaymentBody;
        expect(await payments.balance(accounts[i]!.accountId)).toBe(0);
        await payments.sandbox.act(id, 'pay');
        await payments.checkSoon(id);
        await payments.waitForStatus(accounts[i]!, id, 'paid');
        expect(await payments.balance(accounts[i]!.accountId)).toBe(2000);
      }),
    );
  });
});
