import { TestConsole, TestSite } from '../../testing/console.fixture';
import { Browser, cookieIn } from '../../testing/cookies.fixture';
import { isRefreshCleared, PASSWORD, REFRESH, refresh, register } from './refresh.fixture';

let site: TestSite;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

describe('the name of the refresh cookie', () => {
  it('is read under its former name in production, and gets its present one', async () => {
    const account = await register(site.console);
    const production = await TestConsole.start(site.database.urlFor('console'), { NODE_ENV: 'production' });
    const refreshWith = (Cookie: string) => production.request('POST', REFRESH, { headers: { Cookie } });
    const renamed = await refreshWith(`refresh=${account.value}`);
    const present = cookieIn(renamed, '__Secure-refresh')!;
    expect(isRefreshCleared(renamed)).toBe(true);
    // What another host has set under the former name does not count.
    const next = await refreshWith(`refresh=rubbish; ${present}`);
    const planted = await refreshWith(`${present}; __Secure-refresh=rubbish`);
    await production.close();
    expect([renamed.status, next.status, planted.status]).toEqual([200, 200, 401]);
    expect(planted.headers.getSetCookie()).toEqual([]);
  });

  it('is 401 for two different cookies, clears none, and ends no session', async () => {
    const victim = await register(site.console);
    const attacker = await register(site.console);
    for (const values of [
      [attacker.value, victim.value],
      [victim.value, attacker.value],
      [victim.value, ''],
    ]) {
      const Cookie = values.map((value) => `refresh=${value}`).join('; ');
      const answer = await site.console.request('POST', REFRESH, { headers: { Cookie } });
      expect([answer.status, answer.body, answer.headers.getSetCookie()]).toEqual([
        401,
        { error: 'the cookie refresh was sent with different values' },
        [],
      ]);
    }
    const Cookie = `refresh=${victim.value}; refresh=${victim.value}`;
    expect((await site.console.request('POST', REFRESH, { headers: { Cookie } })).status).toBe(200);
    expect((await refresh(site.console, attacker.value)).status).toBe(200);
  });
});

describe('two sites on one host name', () => {
  const signIn = (browser: Browser, console: TestConsole, email: string) =>
    browser.request(console, 'POST', '/api/auth/register', { json: { email, password: PASSWORD } });

  it('keep their cookies apart by name', async () => {
    const china = await TestSite.start({
      SITE: 'cn',
      SESSION_COOKIE_NAME: 'session_4000',
      REFRESH_COOKIE_NAME: 'refresh_4000',
    });
    const browser = new Browser();
    await signIn(browser, site.console, 'both@example.com');
    await signIn(browser, china.console, 'both@example.cn');
    for (let round = 0; round < 2; round++) {
      const [here, there] = [
        await browser.request(site.console, 'POST', REFRESH),
        await browser.request(china.console, 'POST', REFRESH),
      ];
      expect(here.body).toMatchObject({ user: { email: 'both@example.com' } });
      expect(there.body).toMatchObject({ user: { email: 'both@example.cn' } });
    }
    const { token } = (await browser.request(china.console, 'POST', REFRESH)).body as { token: string };
    await browser.request(china.console, 'POST', '/api/auth/logout', { token });
    expect((await browser.request(china.console, 'POST', REFRESH)).status).toBe(401);
    expect((await browser.request(site.console, 'POST', REFRESH)).status).toBe(200);
    await china.stop();
  });
});
