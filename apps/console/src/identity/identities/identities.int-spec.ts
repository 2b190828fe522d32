import { randomBytes } from 'node:crypto';
import { type Answer } from '../../testing/console.fixture';
import { cookieIn } from '../../testing/cookies.fixture';
import { BROWSER, OAuthSite, UI_URL } from '../oauth/oauth.fixture';

interface IdentityView {
  id: string;
  provider: string | null;
  issuer: string;
  email: string | null;
  created_at: string;
}

const PASSWORD = 'correct horse battery';

const identityOf = (answer: Answer) => (answer.body as { identity: IdentityView }).identity;

describe('the identities of an account', () => {
  let all: OAuthSite;

  beforeAll(async () => (all = await OAuthSite.start()));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => all.stop());

  const request: OAuthSite['site']['console']['request'] = (...args) => all.site.console.request(...args);
  const query = (text: string, values: unknown[] = []) => all.site.database.pool.query(text, values);
  const list = async (token: string) => {
    const { body } = await request('GET', '/api/auth/identities', { token });
    return (body as { identities: IdentityView[] }).identities;
  };
  const someAddress = () => `${randomBytes(6).toString('hex')}@example.com`;
  const unlink = (token: string, id: string) => request('DELETE', `/api/auth/identities/${id}`, { token });
  /** An account that signs in with alpha only. */
  const withoutPassword = async () => {
    const email = someAddress();
    const answer = await all.client.signIn(all.alpha, 'alpha', { email });
    return { email, ...(answer.body as { token: string; user: { id: string } }) };
  };

  const withPassword = async () => {
    const json = { email: someAddress(), password: PASSWORD };
    const { body } = await request('POST', '/api/auth/register', { json });
    const { token, user } = body as { token: string; user: { id: string } };
    return { token, accountId: user.id };
  };

  it('confirm the address of the account if the provider vouches for it, and nothing made before is lost', async () => {
    const json = { email: someAddress(), password: PASSWORD };
    const { body } = await request('POST', '/api/auth/register', { json });
    const { token } = body as { token: string };
    await request('POST', '/api/api-keys', { token, json: { name: 'my own' } });
    const isVerified = async () =>
      ((await request('GET', '/api/auth/me', { token })).body as { email_verified: boolean }).email_verified;
    const password = { password: PASSWORD };
    await all.client.link(all.alpha, 'alpha', token, { email: json.email, verified: false }, password);
    expect(await isVerified()).toBe(false);
    await all.client.link(all.beta, 'beta', token, { email: someAddress() }, password);
    expect(await isVerified()).toBe(false);
    for (const { id } of await list(token)) await unlink(token, id);
    await all.client.link(all.alpha, 'alpha', token, { email: json.email }, password);
    expect(await isVerified()).toBe(true);
    const keys = await request('GET', '/api/api-keys', { token });
    expect(keys.body).toMatchObject({ api_keys: [{ name: 'my own' }] });
  });

  it('are linked by a signed-in account, with any address at the provider', async () => {
    const { token, accountId } = await all.site.signedIn();
    const email = someAddress();
    const answer = await all.client.link(all.alpha, 'alpha', token, { email, verified: false });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        identity: {
          id: expect.stringMatching(/^idn_/),
          provider: 'alpha',
          issuer: all.alpha.issuer,
          email,
          created_at: expect.stringMatching(/Z$/),
        },
      },
    ]);
    expect(cookieIn(answer, 'session')).toBeUndefined();
    expect(cookieIn(answer, 'oauth_flow')).toBeUndefined();
    await all.client.link(all.beta, 'beta', token, { email });
    expect(await list(token)).toEqual([
      identityOf(answer),
      expect.objectContaining({ provider: 'beta', issuer: all.beta.issuer, email }),
    ]);
    for (const name of ['alpha', 'beta'] as const) {
      const signedIn = await all.client.signIn(all[name], name, { email, verified: false });
      expect(signedIn.body).toMatchObject({ user: { id: accountId } });
    }
    const events = await query(
      `SELECT type, details FROM accounts.security_events
       WHERE account_id = $1 AND actor_id = $1 AND type LIKE 'identity.%' ORDER BY created_at`,
      [accountId],
    );
    expect(events.rows).toEqual([
      { type: 'identity.linked', details: { provider: 'alpha', issuer: all.alpha.issuer } },
      { type: 'identity.linked', details: { provider: 'beta', issuer: all.beta.issuer } },
    ]);
  });

  it('are linked in a browser, which returns to its page', async () => {
    for (const [json, page] of [
      [undefined, '/settings/identities'],
      [{ return_to: '/settings?tab=identities' }, '/settings?tab=identities'],
    ] as const) {
      const { token } = await all.site.signedIn();
      const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token, json);
      const returned = await all.alpha.signIn(authorizationUrl, { email: someAddress() });
      const answer = await all.client.finish(returned, cookie, BROWSER);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, UI_URL + page]);
      // The browser keeps the session in which the link was begun.
      for (const name of ['session', 'refresh']) expect(cookieIn(answer, name)).toBeUndefined();
      expect(await list(token)).toHaveLength(1);
    }
  });

  it('return to the page of identities with the error if consent is denied', async () => {
    const { token } = await all.site.signedIn();
    const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token);
    const denied = await all.alpha.signIn(authorizationUrl, { email: someAddress(), decision: 'deny' });
    const answer = await all.client.finish(denied, cookie, BROWSER);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `${UI_URL}/settings/identities#error=access_denied`,
    ]);
    expect(await list(token)).toEqual([]);
  });

  it('are linked once for repeated requests', async () => {
    const { token, accountId } = await all.site.signedIn();
    const email = someAddress();
    const first = await all.client.link(all.alpha, 'alpha', token, { email });
    const second = await all.client.link(all.alpha, 'alpha', token, { email: email.toUpperCase() });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await list(token)).toHaveLength(1);
    const events = await query(
      `SELECT FROM accounts.security_events WHERE account_id = $1 AND type = 'identity.linked'`,
      [accountId],
    );
    expect(events.rowCount).toBe(1);
  });

  it('belong to one account only', async () => {
    const { email } = await withoutPassword();
    const { token } = await all.site.signedIn();
    const answer = await all.client.link(all.alpha, 'alpha', token, { email });
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: expect.stringContaining('another account') },
    ]);
    const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token);
    const returned = await all.alpha.signIn(authorizationUrl, { email });
    const inBrowser = await all.client.finish(returned, cookie, BROWSER);
    expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/settings/identities#error=identity_taken`);
    expect(await list(token)).toEqual([]);
  });

  it('are linked to one of two accounts that link them at the same time', async () => {
    const email = someAddress();
    const accounts = [await all.site.signedIn(), await all.site.signedIn()];
    const answers = await Promise.all(
      accounts.map(({ token }) => all.client.link(all.alpha, 'alpha', token, { email })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('are not linked if the session that asked has ended', async () => {
    const ends = {
      logout: (token: string) => request('POST', '/api/auth/logout', { token }),
      expiry: () => query('UPDATE accounts.sessions SET expires_at = now()'),
    };
    for (const end of Object.values(ends)) {
      const { token, accountId } = await all.site.signedIn();
      const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token);
      const returned = await all.alpha.signIn(authorizationUrl, { email: someAddress() });
      await end(token);
      const answer = await all.client.finish(returned, cookie);
      expect([answer.status, answer.body]).toEqual([401, { error: expect.stringContaining('session') }]);
      expect(await list(await all.site.console.openSession(accountId))).toEqual([]);
    }
  });

  it('are not linked after a logout that came first', async () => {
    const { token, accountId } = await all.site.signedIn();
    const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token);
    const returned = await all.alpha.signIn(authorizationUrl, { email: someAddress() });
    const logout = 'UPDATE accounts.sessions SET ended_at = now() WHERE account_id = $1';
    const linked = await all.whileHeld(logout, [accountId], 1, () => all.client.finish(returned, cookie));
    expect(linked.status).toBe(401);
  });

  it('are not linked without a session or through an unknown provider', async () => {
    const path = '/api/auth/oauth/alpha/link';
    expect((await request('POST', path)).status).toBe(401);
    const { token, apiKey } = await all.site.signedIn();
    expect((await request('POST', path, { token: apiKey })).status).toBe(401);
    const unknown = await request('POST', '/api/auth/oauth/gamma/link', { token });
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'no such provider' }]);
    for (const return_to of ['//evil.example', 'https://evil.example', '/\\evil', 7]) {
      const answer = await request('POST', path, { token, json: { return_to } });
      expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining('return_to') }]);
    }
  });

  it('are not linked through a provider that is down', async () => {
    const { console, client } = await all.another({});
    const { token } = await all.site.signedIn();
    await all.beta.injectFaults({ status: { '/.well-known/openid-configuration': 500 } });
    const answer = await console.request('POST', '/api/auth/oauth/beta/link', { token });
    await all.beta.injectFaults();
    expect(answer.status).toBe(503);
    const { authorizationUrl, cookie } = await client.beginLink('beta', token);
    const returned = await all.beta.signIn(authorizationUrl, { email: someAddress() });
    await all.beta.injectFaults({ status: { '/token': 500 } });
    const down = await client.finish(returned, cookie);
    await all.beta.injectFaults();
    await console.close();
    expect(down.status).toBe(503);
    expect(await list(token)).toEqual([]);
  });

  it('are not linked if the password has changed since it was given', async () => {
    const { token } = await withPassword();
    const { authorizationUrl, cookie } = await all.client.beginLink('alpha', token, { password: PASSWORD });
    const returned = await all.alpha.signIn(authorizationUrl, { email: someAddress() });
    const json = { current_password: PASSWORD, new_password: 'staple of another horse' };
    expect((await request('PUT', '/api/auth/password', { token, json })).status).toBe(204);
    const answer = await all.client.finish(returned, cookie);
    expect([answer.status, answer.body]).toEqual([401, { error: expect.stringContaining('session') }]);
    expect(await list(token)).toEqual([]);
  });

  it('need the password if the account has one', async () => {
    const { token } = await withPassword();
    const begin = (json?: object) => request('POST', '/api/auth/oauth/alpha/link', { token, json });
    for (const [json, status] of [
      [undefined, 400],
      [{ password: '' }, 400],
      [{ password: 'a wrong one' }, 403],
      [{ password: PASSWORD }, 200],
    ] as const)
      expect([json, (await begin(json)).status]).toEqual([json, status]);
  });

  it('cannot sign in once they are unlinked, which ends the other sessions', async () => {
    const { token, accountId } = await withPassword();
    const email = someAddress();
    const { id } = identityOf(
      await all.client.link(all.alpha, 'alpha', token, { email }, { password: PASSWORD }),
    );
    const { token: another } = (await all.client.signIn(all.alpha, 'alpha', { email })).body as {
      token: string;
    };
    expect((await unlink(token, id)).status).toBe(204);
    expect((await request('GET', '/api/auth/me', { token: another })).status).toBe(401);
    expect(await list(token)).toEqual([]);
    expect((await unlink(token, id)).status).toBe(404);
    const signedIn = await all.client.signIn(all.alpha, 'alpha', { email });
    expect((signedIn.body as { user: { id: string } }).user.id).not.toBe(accountId);
    const events = await query(
      `SELECT details FROM accounts.security_events WHERE account_id = $1 AND type = 'identity.unlinked'`,
      [accountId],
    );
    expect(events.rows).toEqual([{ details: { provider: 'alpha', issuer: all.alpha.issuer } }]);
  });

  it('cannot be unlinked by another account', async () => {
    const { token } = await all.site.signedIn();
    const { id } = identityOf(await all.client.link(all.alpha, 'alpha', token, { email: someAddress() }));
    const { token: other } = await all.site.signedIn();
    for (const attempt of [id, 'idn_0', '%00']) {
      const answer = await unlink(other, attempt);
      expect([400, 404]).toContain(answer.status);
    }
    expect((await unlink(other, id)).status).toBe(404);
    expect(await list(token)).toHaveLength(1);
  });

  it('cannot be unlinked while they are the only way to sign in', async () => {
    const { token, user } = await withoutPassword();
    const [only] = await list(token);
    const refused = await unlink(token, only!.id);
    expect([refused.status, refused.body]).toEqual([409, { error: expect.stringContaining('only way') }]);
    const second = identityOf(await all.client.link(all.beta, 'beta', token, { email: someAddress() }));
    // Of two concurrent requests one is for the last identity.
    const answers = await Promise.all([unlink(token, only!.id), unlink(token, second.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const [left] = await list(token);
    await query(`UPDATE accounts.accounts SET password_hash = 'some hash' WHERE id = $1`, [user.id]);
    expect((await unlink(token, left!.id)).status).toBe(204);
  });

  it('cannot complete a sign-in during which they were unlinked', async () => {
    const { token, accountId } = await withPassword();
    const email = someAddress();
    const password = { password: PASSWORD };
    const { id } = identityOf(await all.client.link(all.alpha, 'alpha', token, { email }, password));
    const versionOf = async () =>
      (await query('SELECT credentials_version AS v FROM accounts.accounts WHERE id = $1', [accountId]))
        .rows[0].v;
    const before = await versionOf();
    await unlink(token, 'idn_0');
    expect(await versionOf()).toBe(before);
    await unlink(token, id);
    expect(await versionOf()).toBe(before + 1);
  });

  it('are listed without a provider name if the provider is not configured any more', async () => {
    const { token } = await withoutPassword();
    const { console } = await all.another({ OAUTH_PROVIDERS: '[]' });
    const { body } = await console.request('GET', '/api/auth/identities', { token });
    await console.close();
    expect(body).toMatchObject({ identities: [{ provider: null, issuer: all.alpha.issuer }] });
  });
});
