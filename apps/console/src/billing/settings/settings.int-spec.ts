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
