import { BROWSER, OAuthSite, settingsOf, startProvider, UI_URL } from './oauth.fixture';

const EMAIL = 'ada@example.com';
const UNAVAILABLE = { error: 'the provider cannot be used now' };
const DISCOVERY_LIFE_MILLIS = 600_000;

describe('a provider that is down fails only its own sign-ins', () => {
  let all: OAuthSite;

  beforeAll(async () => (all = await OAuthSite.start()));
  afterEach(() => {
    jest.restoreAllMocks();
    return all.alpha.injectFaults();
  });
  afterAll(() => all.stop());

  it('a sign-in fails when the token endpoint fails or sends invalid responses', async () => {
    const failing: [path: string, status: number][] = [
      ['/token', 500],
      ['/token', 503],
      ['/token', 404],
      ['/jwks', 500],
    ];
    for (const [path, status] of failing) {
      const { console, client } = await all.another({});
      await all.alpha.injectFaults({ status: { [path]: status } });
      const { authorizationUrl, cookie } = await client.begin('alpha');
      const returned = await all.alpha.signIn(authorizationUrl, { email: EMAIL });
      const answer = await client.finish(returned, cookie);
      const inBrowser = await client.signIn(all.alpha, 'alpha', { email: EMAIL }, BROWSER);
      await console.close();
      expect([path, answer.status, answer.body]).toEqual([path, 503, UNAVAILABLE]);
      expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=provider_unavailable`);
    }
  });

  it('a sign-in fails when the userinfo endpoint fails', async () => {
    await all.alpha.injectFaults({ status: { '/me': 500 } });
    const fresh = await all.client.signIn(all.alpha, 'alpha', { email: 'fresh@example.com' });
    expect([fresh.status, fresh.body]).toEqual([503, UNAVAILABLE]);
    await all.alpha.injectFaults();
    expect((await all.client.signIn(all.alpha, 'alpha', { email: EMAIL })).status).toBe(200);
    await all.alpha.injectFaults({ status: { '/me': 500 } });
    // A linked identity needs no address.
    expect((await all.client.signIn(all.alpha, 'alpha', { email: EMAIL })).status).toBe(200);
  });

  it('a sign-in fails when the provider does not respond within ten seconds', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limits: number[] = [];
    for (const path of ['/.well-known/openid-configuration', '/token', '/jwks']) {
      const { console, client } = await all.another({});
      const begins = path.startsWith('/.well-known') ? all.client : client;
      const { authorizationUrl, cookie } = await begins.begin('alpha');
      const returned = await all.alpha.signIn(authorizationUrl, { email: EMAIL });
      await all.alpha.injectFaults({ hang: [path] });
      jest.spyOn(AbortSignal, 'timeout').mockImplementation((millis) => {
        limits.push(millis);
        return timeout(300);
      });
      const answer = await client.finish(returned, cookie);
      jest.restoreAllMocks();
      await all.alpha.injectFaults();
      await console.close();
      expect([path, answer.status, answer.body]).toEqual([path, 503, UNAVAILABLE]);
    }
    expect(new Set(limits)).toEqual(new Set([10_000]));
  });

  it('a later discovery succeeds when the provider was down at first', async () => {
    await all.alpha.kill();
    const { console, client } = await all.another({});
    const start = () => client.get('/api/auth/oauth/alpha');
    const [first, second, ofBeta] = [await start(), await start(), await client.get('/api/auth/oauth/beta')];
    const inBrowser = await client.get('/api/auth/oauth/alpha', BROWSER);
    await all.alpha.restart();
    const third = await start();
    await console.close();
    for (const answer of [first, second]) {
      expect([answer.status, answer.body]).toEqual([503, UNAVAILABLE]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=provider_unavailable`);
    expect([ofBeta.status, third.status]).toEqual([302, 302]);
  });

  it('the metadata are fetched again after ten minutes when the provider goes down later', async () => {
    const { console, client } = await all.another({});
    const { authorizationUrl, cookie } = await client.begin('alpha');
    const returned = await all.alpha.signIn(authorizationUrl, { email: EMAIL });
    await all.alpha.kill();
    const answer = await client.finish(returned, cookie);
    // The cached metadata are still used.
    const remembered = await client.get('/api/auth/oauth/alpha');
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + DISCOVERY_LIFE_MILLIS);
    const forgotten = await client.get('/api/auth/oauth/alpha');
    jest.restoreAllMocks();
    await all.alpha.restart();
    await console.close();
    expect([answer.status, answer.body]).toEqual([503, UNAVAILABLE]);
    expect([remembered.status, forgotten.status]).toEqual([302, 503]);
  });

  it('a sign-in fails when the metadata name another issuer, or the secret is wrong', async () => {
    const named = { ...settingsOf('alpha', all.alpha.issuer.replace('127.0.0.1', 'localhost')) };
    const impostor = await all.another({ OAUTH_PROVIDERS: JSON.stringify([named]) });
    const byName = await impostor.client.get('/api/auth/oauth/alpha');
    await impostor.console.close();
    expect(byName.status).toBe(503);
    const gamma = await startProvider('gamma');
    const settings = {
      ...settingsOf('gamma', gamma.issuer),
      client_secret: 'a secret that is not registered',
    };
    const other = await all.another({ OAUTH_PROVIDERS: JSON.stringify([settings]) });
    const bySecret = await other.client.signIn(gamma, 'gamma', { email: EMAIL });
    await Promise.all([other.console.close(), gamma.kill()]);
    expect([bySecret.status, bySecret.body]).toEqual([503, UNAVAILABLE]);
  });
});
