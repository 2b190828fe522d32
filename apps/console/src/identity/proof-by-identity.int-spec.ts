import { createHash } from 'node:crypto';
import { type Answer } from '../testing/console.fixture';
import { OAuthSite } from './oauth/oauth.fixture';

const SUBJECT_DIGITS = 24;
/** The subject of an address at the sandbox. */
const subjectOf = (email: string) =>
  createHash('sha256').update(email).digest('hex').slice(0, SUBJECT_DIGITS);
const sessionOf = ({ body }: Answer) => body as { token: string; user: { id: string; email: string } };

describe('a sign-in through a provider to an account whose address nobody has confirmed', () => {
  let all: OAuthSite;

  beforeAll(async () => (all = await OAuthSite.start()));
  afterAll(() => all.stop());

  const me = async (token: string) => (await all.site.console.request('GET', '/api/auth/me', { token })).body;
  const query = (text: string, values: unknown[] = []) => all.site.database.pool.query(text, values);
  const unproven = async (email: string) => {
    const json = { email, password: 'correct horse battery' };
    const { body } = await all.site.console.request('POST', '/api/auth/register', { json });
    const { token, user } = body as { token: string; user: { id: string } };
    await all.site.console.request('POST', '/api/api-keys', { token, json: { name: 'of the stranger' } });
    const link = (name: 'alpha' | 'beta', address: string) =>
      query(
        `INSERT INTO accounts.oauth_identities (id, issuer, subject, account_id, email)
           VALUES ('idn_' || md5($1 || $2), $2, $4, $3, $1)`,
        [address, all[name].issuer, user.id, subjectOf(address)],
      );
    return { token, accountId: user.id, json, link };
  };
  const liveKeys = async (accountId: string) =>
    (await query('SELECT FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL', [accountId]))
      .rowCount;

  it('confirms it and revokes all that was made before, with the password', async () => {
    const email = 'unproven@both.example';
    const { token, accountId, json, link } = await unproven(email);
    await link('alpha', email);
    await link('beta', 'stranger@both.example');
    await query("INSERT INTO accounts.totp (account_id, sealed_secret, enabled_at) VALUES ($1, 'x', now())", [
      accountId,
    ]);
    const answer = await all.client.signIn(all.alpha, 'alpha', { email });
    expect([answer.status, sessionOf(answer).user?.id]).toEqual([200, accountId]);
    expect(await me(sessionOf(answer).token)).toMatchObject({
      email_verified: true,
      has_password: false,
      two_factor_enabled: false,
    });
    expect(await me(token)).toEqual({ error: expect.any(String) });
    expect(await liveKeys(accountId)).toBe(0);
    const login = { identifier: email, password: json.password };
    const old = await all.site.console.request('POST', '/api/auth/login', { json: login });
    expect(old.status).toBe(401);
    const { rows } = await query('SELECT issuer FROM accounts.oauth_identities WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ issuer: all.alpha.issuer }]);
    const mail = await query(
      "SELECT params->'revoked' AS revoked FROM accounts.mail_outbox WHERE account_id = $1 AND kind = 'access_revoked'",
      [accountId],
    );
    const revoked = { apiKeys: 1, workspaceKeys: 0, identities: 1, secondFactors: 1, passwords: 1 };
    expect(mail.rows).toEqual([{ revoked }]);
    expect(sessionOf(await all.client.signIn(all.alpha, 'alpha', { email })).user.id).toBe(accountId);
  });

  it.each([
    ['another address', { email: 'other@both.example', verified: true }],
    ['an address that the provider has not verified', { email: 'unsure@both.example', verified: false }],
  ])('changes nothing with %s', async (_name, how) => {
    const { accountId, link } = await unproven(how.verified ? 'kept@both.example' : how.email);
    await link('alpha', how.email);
    const answer = await all.client.signIn(all.alpha, 'alpha', how);
    expect(await me(sessionOf(answer).token)).toMatchObject({ email_verified: false, has_password: true });
    expect(await liveKeys(accountId)).toBe(1);
  });
});
