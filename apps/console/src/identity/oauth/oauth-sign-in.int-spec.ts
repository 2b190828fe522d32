import { type Answer } from '../../testing/console.fixture';
import { cookieAttributes, cookieIn } from '../../testing/cookies.fixture';
import { BROWSER, callbackOf, OAuthSite, settingsOf, startProvider, UI_URL } from './oauth.fixture';

interface Session {
  token: string;
  user: { id: string; email: string };
}

const sessionOf = (answer: Answer) => answer.body as Session;

describe('a sign-in through a provider', () => {
  let all: OAuthSite;

  beforeAll(async () => (all = await OAuthSite.start()));
  afterAll(() => all.stop());

  const me = async (token: string) => (await all.site.console.request('GET', '/api/auth/me', { token })).body;
  const query = (text: string, values: unknown[] = []) => all.site.database.pool.query(text, values);

  it('redirects the browser with PKCE, a state and a nonce', async () => {
    const answer = await all.client.get('/api/auth/oauth/alpha', {});
    expect(answer.status).toBe(302);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { origin, searchParams } = new URL(answer.headers.get('location')!);
    expect(origin).toBe(all.alpha.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'console',
      redirect_uri: callbackOf('alpha'),
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^oauth_flow=ey[\w.-]+; Max-Age=600; Path=\/api\/auth\/oauth; .*HttpOnly; SameSite=Lax$/,
    );
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(Buffer.from(cookie, 'base64').toString('latin1')).not.toContain(searchParams.get(name)!);
  });

  it('tells the owner of a suspended account so, and opens no session', async () => {
    const email = 'suspended@example.com';
    const signIn = (headers?: Record<string, string>) =>
      all.client.signIn(all.alpha, 'alpha', { email }, headers);
    const { user } = sessionOf(await signIn());
    await query(
      "UPDATE accounts.accounts SET suspended_at = now(), suspension_message = 'Please write.' WHERE id = $1",
      [user.id],
    );
    const refused = await signIn();
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: 'account_suspended', suspension_message: 'Please write.' },
    ]);
    const page = await signIn(BROWSER);
    const location = page.headers.get('location')!;
    expect(location).toMatch(/^http:\/\/ui\.test\/sign-in#error=account_suspended&notice=[\w.-]+$/);
    expect(location).not.toContain('Please');
    const notice = location.split('notice=')[1]!;
    const read = (json: object) => all.site.console.request('POST', '/api/auth/oauth/suspension', { json });
    expect(await read({ notice })).toMatchObject({
      status: 200,
      body: { suspension_message: 'Please write.', contact: null },
    });
    for (const wrong of [`${notice}x`, 'x']) expect((await read({ notice: wrong })).status).toBe(400);
    for (const answer of [refused, page])
      expect(answer.headers.getSetCookie().join()).not.toContain('session=');
  });

  it('is begun with a cookie of the host only in production, and its former name is not read', async () => {
    const production = await all.another({ NODE_ENV: 'production' });
    const answer = await production.client.get('/api/auth/oauth/alpha');
    const pair = cookieIn(answer, '__Host-oauth_flow')!;
    expect(cookieAttributes(answer, '__Host-oauth_flow')).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const returned = await all.alpha.signIn(answer.headers.get('location')!, { email: 'host@example.com' });
    const renamed = await production.client.finish(returned, pair.replace('__Host-', ''));
    const finished = await production.client.finish(returned, pair);
    await production.console.close();
    expect([renamed.status, finished.status]).toEqual([400, 200]);
    expect(cookieIn(finished, '__Host-session')).toBeDefined();
  });

  it('ignores further parameters of the callback', async () => {
    const { authorizationUrl, cookie } = await all.client.begin('alpha');
    const returned = await all.alpha.signIn(authorizationUrl, { email: 'further@example.com' });
    expect((await all.client.finish(`${returned}&session_state=x`, cookie)).status).toBe(200);
  });

  it('uses new values for each flow', async () => {
    const urls = [await all.client.begin('alpha'), await all.client.begin('alpha')].map(
      ({ authorizationUrl }) => new URL(authorizationUrl).searchParams,
    );
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(urls[0]!.get(name)).not.toBe(urls[1]!.get(name));
  });

  it.each(['alpha', 'beta'] as const)('makes an account at first and finds it later: %s', async (name) => {
    const email = `first@${name}.example`;
    const first = await all.client.signIn(all[name], name, { email: `First@${name}.example` });
    expect([first.status, first.body]).toEqual([
      200,
      { token: expect.any(String), user: { id: expect.any(String), email } },
    ]);
    const { token, user } = sessionOf(first);
    expect(cookieIn(first, 'session')).toBe(`session=${token}`);
    expect(cookieIn(first, 'refresh')).toMatch(/^refresh=[\w-]{64}$/);
    expect(cookieIn(first, 'oauth_flow')).toBeUndefined();
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(await me(token)).toMatchObject({
      id: user.id,
      email,
      email_verified: true,
      has_password: false,
      role: 'user',
      language: 'en',
    });
    const settings = await all.site.console.request('GET', '/api/billing/settings', { token });
    expect(settings.body).toMatchObject({ balance: 0 });
    const second = await all.client.signIn(all[name], name, { email });
    expect(sessionOf(second).user).toEqual(user);
    expect(sessionOf(second).token).not.toBe(token);
    const events = await query(
      'SELECT type, actor_id, details FROM accounts.security_events WHERE account_id = $1 ORDER BY created_at, id',
      [user.id],
    );
    const how = { provider: name, issuer: all[name].issuer };
    expect(events.rows).toEqual([
      { type: 'account.created', actor_id: user.id, details: how },
      { type: 'identity.linked', actor_id: user.id, details: how },
      { type: 'session.opened', actor_id: user.id, details: { method: `oauth:${name}` } },
      { type: 'session.opened', actor_id: user.id, details: { method: `oauth:${name}` } },
    ]);
  });

  it('identifies by the subject alone: a linked identity needs no verified address', async () => {
    const email = 'known@alpha.example';
    const { user } = sessionOf(await all.client.signIn(all.alpha, 'alpha', { email }));
    const again = await all.client.signIn(all.alpha, 'alpha', { email, verified: false });
    expect(sessionOf(again).user).toEqual(user);
  });

  it('redirects a browser to the pages of the console', async () => {
    for (const [returnTo, landing] of [
      ['', '/sign-in/complete'],
      [
        '?return_to=%2Fwallet%3Ftab%3Dtopup%26x%3D1',
        '/sign-in/complete#return_to=%2Fwallet%3Ftab%3Dtopup%26x%3D1',
      ],
    ] as const) {
      const { authorizationUrl, cookie } = await all.client.begin('alpha', returnTo);
      const returned = await all.alpha.signIn(authorizationUrl, { email: 'browser@alpha.example' });
      const answer = await all.client.finish(returned, cookie, BROWSER);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, UI_URL + landing]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const token = cookieIn(answer, 'session')!.slice('session='.length);
      expect(await me(token)).toMatchObject({ email: 'browser@alpha.example' });
      expect(answer.text).not.toContain(token);
      const refreshed = await all.site.console.request('POST', '/api/auth/refresh', {
        headers: { Cookie: cookieIn(answer, 'refresh')! },
      });
      expect([refreshed.status, refreshed.body]).toEqual([
        200,
        expect.objectContaining({ user: { id: expect.any(String), email: 'browser@alpha.example' } }),
      ]);
    }
  });

  it('makes a challenge for an account with two factors', async () => {
    const email = 'two-factors@alpha.example';
    const { user } = sessionOf(await all.client.signIn(all.alpha, 'alpha', { email }));
    await query('INSERT INTO accounts.totp (account_id, sealed_secret, enabled_at) VALUES ($1, $2, now())', [
      user.id,
      'never opened',
    ]);
    const answer = await all.client.signIn(all.alpha, 'alpha', { email });
    const challenge = {
      id: expect.any(String),
      methods: ['totp', 'recovery_code'],
      expires_at: expect.any(String),
    };
    expect([answer.status, answer.body]).toEqual([200, { challenge }]);
    expect(cookieIn(answer, 'session')).toBeUndefined();
    const inBrowser = await all.client.signIn(all.alpha, 'alpha', { email }, BROWSER);
    expect(inBrowser.status).toBe(302);
    expect(inBrowser.headers.get('location')).toMatch(
      /^http:\/\/ui\.test\/sign-in\/second-factor#challenge=chal_\w{32}&methods=totp,recovery_code&expires_at=2\d{3}-[\dT:.-]+Z$/,
    );
    expect(cookieIn(inBrowser, 'session')).toBeUndefined();
    expect(cookieIn(inBrowser, 'refresh')).toBeUndefined();
    const { authorizationUrl, cookie } = await all.client.begin('alpha', '?return_to=%2Fkeys%3Fa%3D1%26b');
    const returned = await all.alpha.signIn(authorizationUrl, { email });
    const answered = await all.client.finish(returned, cookie, BROWSER);
    const fragment = new URLSearchParams(new URL(answered.headers.get('location')!).hash.slice(1));
    expect(Object.fromEntries(fragment)).toEqual({
      challenge: expect.stringMatching(/^chal_/),
      methods: 'totp,recovery_code',
      expires_at: expect.stringMatching(/Z$/),
      return_to: '/keys?a=1&b',
    });
    const { rows } = await query('SELECT method FROM accounts.login_challenges WHERE account_id = $1', [
      user.id,
    ]);
    expect(rows).toEqual(Array(3).fill({ method: 'oauth:alpha' }));
  });

  it('never links by the address, neither of a password account nor of another provider', async () => {
    const email = 'taken@both.example';
    const json = { email, password: 'correct horse battery' };
    await all.site.console.request('POST', '/api/auth/register', { json });
    await all.client.signIn(all.alpha, 'alpha', { email: 'two@both.example' });
    for (const [address, name] of [
      [email, 'alpha'],
      [email, 'beta'],
      ['two@both.example', 'beta'],
    ] as const) {
      const answer = await all.client.signIn(all[name], name, { email: address });
      expect([answer.status, answer.body]).toEqual([
        409,
        { error: expect.stringContaining('exists already') },
      ]);
      expect(cookieIn(answer, 'session')).toBeUndefined();
    }
    const inBrowser = await all.client.signIn(all.beta, 'beta', { email }, BROWSER);
    expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=email_taken`);
    const { rows } = await query('SELECT FROM accounts.oauth_identities WHERE issuer = $1 AND email = $2', [
      all.beta.issuer,
      email,
    ]);
    expect(rows).toEqual([]);
  });

  it.each(['alpha', 'beta'] as const)('makes no account for an unverified address: %s', async (name) => {
    const email = `unverified@${name}.example`;
    const answer = await all.client.signIn(all[name], name, { email, verified: false });
    expect([answer.status, answer.body]).toEqual([403, { error: expect.stringContaining('vouch') }]);
    const inBrowser = await all.client.signIn(all[name], name, { email, verified: false }, BROWSER);
    expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=email_not_verified`);
    expect((await query('SELECT FROM accounts.accounts WHERE email = $1', [email])).rows).toEqual([]);
  });

  it('does not reveal by an unverified address whether there is an account', async () => {
    const email = 'probed@both.example';
    await all.client.signIn(all.alpha, 'alpha', { email });
    expect((await all.client.signIn(all.beta, 'beta', { email, verified: false })).status).toBe(403);
  });

  it.each([
    ['no address', { email: null }],
    ['an invalid address', { email: 'nobody' }],
    ['an address that a text says is not verified', { email_verified: 'false' }],
    ['an address verified in other words', { email_verified: 'yes' }],
  ])('makes no account of %s', async (_name, id_token) => {
    await all.beta.injectFaults({ id_token, userinfo: id_token });
    const answer = await all.client.signIn(all.beta, 'beta', { email: 'odd@beta.example' });
    await all.beta.injectFaults();
    expect([answer.status, answer.body]).toEqual([403, { error: expect.stringContaining('vouch') }]);
  });

  it('makes an account of an international address that a text says is verified', async () => {
    const claims = { email: 'Ünal@XN--MLLER-KVA.example', email_verified: 'true' };
    await all.beta.injectFaults({ id_token: claims, userinfo: claims });
    const answer = await all.client.signIn(all.beta, 'beta', { email: 'text@beta.example' });
    await all.beta.injectFaults();
    expect([answer.status, sessionOf(answer).user.email]).toEqual([200, 'ünal@müller.example']);
  });

  it('makes one account for concurrent first sign-ins', async () => {
    const flows = await Promise.all(Array.from({ length: 5 }, () => all.client.begin('alpha')));
    const email = 'at-once@alpha.example';
    const returned = await Promise.all(
      flows.map(({ authorizationUrl }) => all.alpha.signIn(authorizationUrl, { email })),
    );
    // No request inserts an account before all have found none.
    const answers = await all.whileHeld('LOCK accounts.accounts IN SHARE MODE', [], returned.length, () =>
      Promise.all(returned.map((url, at) => all.client.finish(url, flows[at]!.cookie))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => sessionOf(answer).user.id)).size).toBe(1);
  });

  it('makes no new accounts if sign-up is closed, and signs existing ones in', async () => {
    const email = 'before@alpha.example';
    const { user } = sessionOf(await all.client.signIn(all.alpha, 'alpha', { email }));
    const { console, client } = await all.another({ SIGNUP: 'closed' });
    const old = await client.signIn(all.alpha, 'alpha', { email });
    const fresh = await client.signIn(all.alpha, 'alpha', { email: 'after@alpha.example' });
    const inBrowser = await client.signIn(all.alpha, 'alpha', { email: 'after@alpha.example' }, BROWSER);
    await console.close();
    expect(sessionOf(old).user).toEqual(user);
    expect([fresh.status, fresh.body]).toEqual([403, { error: 'this site takes no new accounts' }]);
    expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=signup_closed`);
  });

  it('sends its secret by the configured method', async () => {
    const gamma = await startProvider('gamma', 'userinfo', 'client_secret_post');
    const settings = settingsOf('gamma', gamma.issuer);
    const statuses: number[] = [];
    for (const token_endpoint_auth_method of ['client_secret_post', 'client_secret_basic']) {
      const OAUTH_PROVIDERS = JSON.stringify([{ ...settings, token_endpoint_auth_method }]);
      const { console, client } = await all.another({ OAUTH_PROVIDERS });
      statuses.push((await client.signIn(gamma, 'gamma', { email: 'post@gamma.example' })).status);
      await console.close();
    }
    await gamma.kill();
    expect(statuses).toEqual([200, 503]);
  });

  it('lists the providers in the description of the site', async () => {
    const { body } = await all.site.console.request('GET', '/api/site');
    expect(body).toMatchObject({ oauth_providers: ['alpha', 'beta'] });
  });
});
