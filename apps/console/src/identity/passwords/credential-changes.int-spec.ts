import { waitForLock } from '@inference/testing';
import { type PoolClient } from 'pg';
import { TestSite } from '../../testing/console.fixture';
import { createMailToken } from '../../notifications/mail/mail-tokens';
import { revokeMailTokens } from '../../notifications/mail/mail-tokens.repository';
import { ExpiryCleanupJob } from '../sign-in/expiry-cleanup.job';
import { Authenticator, challenge, FrozenClock, verify } from '../second-factor/two-factor.fixture';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of another horse';

let site: TestSite;
let clock: FrozenClock;
let registered = 0;

beforeAll(async () => {
  clock = new FrozenClock();
  // The provider cannot be reached.
  const provider = { name: 'sandbox', issuer: 'http://127.0.0.1:1', client_id: 'c', client_secret: 's' };
  site = await TestSite.start({ OAUTH_PROVIDERS: JSON.stringify([provider]) });
});
afterAll(async () => {
  clock.thaw();
  await site.stop();
});

const post = (path: string, json?: unknown, token?: string) =>
  site.console.request('POST', path, { json, ...(token === undefined ? {} : { token }) });
const query = (text: string, values: unknown[]) => site.database.pool.query(text, values);

async function register() {
  const email = `owner${++registered}@example.com`;
  const { body } = await post('/api/auth/register', { email, password: PASSWORD });
  const { token, user } = body as { token: string; user: { id: string } };
  return { email, token, accountId: user.id };
}
type Registered = Awaited<ReturnType<typeof register>>;

const mailToken = ({ accountId, email }: Registered, purpose: 'reset_password' | 'verify_email') =>
  createMailToken(site.database.pool, { accountId, purpose, email });
const reset = async (account: Registered) =>
  post('/api/auth/password/reset', {
    token: await mailToken(account, 'reset_password'),
    password: NEW_PASSWORD,
  });
const link = (accountId: string, sql: Pick<PoolClient, 'query'> = site.database.pool) =>
  sql.query(
    `INSERT INTO accounts.oauth_identities (id, issuer, subject, account_id, email)
     VALUES ('idn_' || $1, 'https://issuer.test', $1, $1, 'x@example.com')`,
    [accountId],
  );
const countOf = async (table: string, accountId: string) =>
  (await query(`SELECT FROM accounts.${table} WHERE account_id = $1`, [accountId])).rowCount;
const liveKeysOf = async (accountId: string) =>
  (await query('SELECT FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL', [accountId]))
    .rowCount;

describe('a reset by mail', () => {
  it('unlinks an identity that is being linked at the same time', async () => {
    const account = await register();
    const linking = await site.database.pool.connect();
    await linking.query('BEGIN');
    // The lock order of a link: first the session, then the identity.
    await linking.query('SELECT FROM accounts.sessions WHERE account_id = $1 FOR SHARE', [account.accountId]);
    const resetting = reset(account);
    await waitForLock(site.database.pool);
    await link(account.accountId, linking);
    await linking.query('COMMIT');
    linking.release();
    expect((await resetting).status).toBe(202);
    expect(await countOf('oauth_identities', account.accountId)).toBe(0);
  });
});

describe('a session that ends while its request waits for a lock', () => {
  /** Runs a request while a transaction changes the credentials of the account and ends its sessions. */
  async function during(account: Registered, request: () => Promise<{ status: number }>) {
    const changing = await site.database.pool.connect();
    await changing.query('BEGIN');
    await changing.query(
      'UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1',
      [account.accountId],
    );
    const answer = request();
    await waitForLock(site.database.pool);
    await changing.query('UPDATE accounts.sessions SET ended_at = now() WHERE account_id = $1', [
      account.accountId,
    ]);
    await changing.query('COMMIT');
    changing.release();
    return (await answer).status;
  }

  it('cannot make an API key', async () => {
    const account = await register();
    const status = await during(account, () => post('/api/api-keys', { name: 'late' }, account.token));
    expect([status, await liveKeysOf(account.accountId)]).toEqual([401, 0]);
  });

  it('cannot turn two factors on', async () => {
    const account = await register();
    await site.confirmAddress(account.accountId);
    const setup = await post('/api/auth/2fa/setup', undefined, account.token);
    const { otpauth_url: url } = setup.body as { otpauth_url: string };
    const json = { code: new Authenticator(url).code() };
    const status = await during(account, () => post('/api/auth/2fa/enable', json, account.token));
    const { rows } = await query('SELECT enabled_at FROM accounts.totp WHERE account_id = $1', [
      account.accountId,
    ]);
    expect([status, rows]).toEqual([401, [{ enabled_at: null }]]);
  });

  it('cannot change the password with one that has just been replaced', async () => {
    const account = await register();
    const json = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    const change = () => site.console.request('PUT', '/api/auth/password', { token: account.token, json });
    expect(await during(account, change)).toBe(409);
    const login = { identifier: account.email, password: NEW_PASSWORD };
    expect((await post('/api/auth/login', login)).status).toBe(401);
  });

  it('cannot turn two factors off with a password that has just been replaced', async () => {
    const account = await register();
    await site.confirmAddress(account.accountId);
    const setup = await post('/api/auth/2fa/setup', undefined, account.token);
    const { otpauth_url: url } = setup.body as { otpauth_url: string };
    const authenticator = new Authenticator(url);
    await post('/api/auth/2fa/enable', { code: authenticator.code() }, account.token);
    const json = { password: PASSWORD, code: authenticator.code(1) };
    const status = await during(account, () => post('/api/auth/2fa/disable', json, account.token));
    expect([status, await countOf('totp', account.accountId)]).toEqual([409, 1]);
  });
});

describe('a password reset under way', () => {
  it('fails if the owner changes the password meanwhile', async () => {
    const account = await register();
    const token = await mailToken(account, 'reset_password');
    const resetting = await site.database.pool.transaction(async (owner) => {
      // The lock order of a password change: first the account, then its mail tokens.
      await owner.query(
        'UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1',
        [account.accountId],
      );
      const answer = post('/api/auth/password/reset', { token, password: 'of an attacker who waits' });
      await waitForLock(site.database.pool);
      await revokeMailTokens(owner, account.accountId, 'reset_password');
      return { answer };
    });
    expect((await resetting.answer).status).toBe(400);
    expect((await post('/api/auth/login', { identifier: account.email, password: PASSWORD })).status).toBe(
      200,
    );
  });

  it('succeeds once for several tokens at once', async () => {
    const account = await register();
    const tokens = [
      await mailToken(account, 'reset_password'),
      await mailToken(account, 'reset_password'),
      await mailToken(account, 'reset_password'),
    ];
    const answers = await Promise.all(
      tokens.map((token) => post('/api/auth/password/reset', { token, password: NEW_PASSWORD })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 400, 400]);
  });
});

describe('an account without a password', () => {
  it('needs a sign-in within the last minutes instead of the password', async () => {
    const account = await register();
    await query('UPDATE accounts.accounts SET password_hash = NULL WHERE id = $1', [account.accountId]);
    const begin = () => post('/api/auth/oauth/sandbox/link', {}, account.token);
    expect((await begin()).status).toBe(503);
    await query(
      "UPDATE accounts.sessions SET created_at = now() - interval '11 minutes' WHERE account_id = $1",
      [account.accountId],
    );
    expect((await begin()).status).toBe(403);
  });
});

describe('a recovery code', () => {
  it('does not deadlock with turning two factors off', async () => {
    const account = await register();
    await site.confirmAddress(account.accountId);
    const setup = await post('/api/auth/2fa/setup', undefined, account.token);
    const { otpauth_url: url } = setup.body as { otpauth_url: string };
    const authenticator = new Authenticator(url);
    const enabled = await post('/api/auth/2fa/enable', { code: authenticator.code() }, account.token);
    const [code] = (enabled.body as { recovery_codes: string[] }).recovery_codes;
    const id = await challenge(site, account.accountId);
    const holding = await site.database.pool.connect();
    await holding.query('BEGIN');
    await holding.query('SELECT FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE', [account.accountId]);
    // It holds the lock of the authenticator and waits for the account; the sign-in must not hold the lock of the code.
    const json = { password: PASSWORD, code: authenticator.code(1) };
    const turningOff = post('/api/auth/2fa/disable', json, account.token);
    await waitForLock(site.database.pool);
    const signingIn = verify(site, id, code!);
    await waitForLock(site.database.pool, 2);
    await holding.query('COMMIT');
    holding.release();
    expect([(await turningOff).status, (await signingIn).status]).toEqual([204, 401]);
  });
});

describe('a reset token', () => {
  it('is revoked by a new password and by two factors', async () => {
    const changes = {
      password: (token: string) =>
        site.console.request('PUT', '/api/auth/password', {
          token,
          json: { current_password: PASSWORD, new_password: NEW_PASSWORD },
        }),
      'two factors': async (token: string, accountId: string) => {
        await site.confirmAddress(accountId);
        const setup = await post('/api/auth/2fa/setup', undefined, token);
        const { otpauth_url: url } = setup.body as { otpauth_url: string };
        return post('/api/auth/2fa/enable', { code: new Authenticator(url).code() }, token);
      },
    };
    for (const change of Object.values(changes)) {
      const account = await register();
      const token = await mailToken(account, 'reset_password');
      expect((await change(account.token, account.accountId)).status).toBeLessThan(300);
      const late = await post('/api/auth/password/reset', { token, password: 'of somebody else' });
      expect(late.status).toBe(400);
    }
  });
});

describe('an expired session', () => {
  it('is deleted after a day', async () => {
    const { token, accountId } = await register();
    await query("UPDATE accounts.sessions SET expires_at = now() - interval '2 days' WHERE account_id = $1", [
      accountId,
    ]);
    const kept = await site.console.openSession(accountId);
    await site.console.app.get(ExpiryCleanupJob).run();
    expect(await countOf('sessions', accountId)).toBe(1);
    expect((await site.console.request('GET', '/api/auth/me', { token: kept })).status).toBe(200);
    expect((await site.console.request('GET', '/api/auth/me', { token })).status).toBe(401);
  });
});
