import { TestSite } from '../../testing/console.fixture';

describe('billing settings', () => {
  const read = async (site: TestSite) => {
    const { token } = await site.signedIn('user', 1_000_000_000_001n);
    return site.console.request('GET', '/api/billing/settings', { token });
  };

  it('show the balance and the top-up bounds', async () => {
    const site = await TestSite.start({ MIN_TOPUP: '0.50', TOPUP_PRESETS: '1, 2.5' });
    const answer = await read(site);
    await site.stop();
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"currency":"USD","balance":1.000000000001,"min_amount":0.5,"max_amount":10000,"presets":[1,2.5],' +
        '"providers":[{"name":"card_provider","enabled":false,"currency":"USD","region":"intl"}],"low_balance_threshold":5}',
    );
  });

  describe('for the mail about a low balance', () => {
    let site: TestSite;
    let token: string;
    const patch = (json: unknown) => site.console.request('PATCH', '/api/billing/settings', { token, json });

    beforeAll(async () => (site = await TestSite.start()));
    beforeEach(async () => ({ token } = await site.signedIn()));
    afterAll(() => site.stop());

    it('keep an exact threshold of the account', async () => {
      const answer = await patch({ low_balance_threshold: '0.123456789012' });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('"low_balance_threshold":0.123456789012}');
      expect((await patch({})).text).toBe(answer.text);
      const read = await site.console.request('GET', '/api/billing/settings', { token });
      expect(read.text).toBe(answer.text);
    });

    it('turn it off, and leave other accounts with the threshold of the site', async () => {
      expect((await patch({ low_balance_threshold: null })).body).toMatchObject({
        low_balance_threshold: null,
      });
      ({ token } = await site.signedIn());
      expect((await patch({})).body).toMatchObject({ low_balance_threshold: 5 });
    });

    it.each([0, -1, '1 000', '0.0000000000001', 1e13, true, 'much'])('refuse %j', async (threshold) => {
      const answer = await patch({ low_balance_threshold: threshold });
      expect(answer.status).toBe(400);
      expect((answer.body as { error: string }).error).toContain('low_balance_threshold');
    });
  });

  it('are in yuan on the China site, with its two providers', async () => {
    const site = await TestSite.start({ SITE: 'cn' });
    const answer = await read(site);
    await site.stop();
    expect(answer.body).toMatchObject({
      currency: 'CNY',
      providers: [
        { name: 'messaging_pay_provider', enabled: false, currency: 'CNY', region: 'cn' },
        { name: 'wallet_pay_provider', enabled: false, currency: 'CNY', region: 'cn' },
      ],
    });
  });
});
