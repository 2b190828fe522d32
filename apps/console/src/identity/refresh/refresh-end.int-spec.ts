import { waitForLock } from '@inference/testing';
import { TestSite } from '../../testing/console.fixture';
import { Authenticator } from '../second-factor/two-factor.fixture';
import { ExpiryCleanupJob } from '../sign-in/expiry-cleanup.job';
import { isRefreshCleared, login, PASSWORD, refresh, register } from './refresh.fixture';

let site: TestSite;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

const request: TestSite['console']['request'] = (...args) => site.console.request(...args);
const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);

describe('the end of a session', () => {
  it('by logout ends its refresh token and clears both cookies', async () => {
    const owner = await register(site.console);
    const other = await login(site.console, owner);
    const out = await request('POST', '/api/auth/logout', { token: owner.token });
    expect(out.status).toBe(204);
    expect(isRefreshCleared(out)).toBe(true);
    expect((await refresh(site.console, owner.value)).status).toBe(401);
    expect((await refresh(site.console, other.value)).status).toBe(200);
  });

  const endings: [string, (token: string, accountId: string) => Promise<{ status: number }>][] = [
    [
      'a password change',
      (token) => {
        const json = { current_password: PASSWORD, new_password: `${PASSWORD} staple` };
        return request('PUT', '/api/auth/password', { token, json });
      },
    ],
    [
      'a second factor',
      async (token, accountId) => {
        await site.confirmAddress(accountId);
        const { body } = await request('POST', '/api/auth/2fa/setup', { token });
        const { otpauth_url: url } = body as { otpauth_url: string };
        const json = { code: new Authenticator(url).code() };
        return request('POST', '/api/auth/2fa/enable', { token, json });
      },
    ],
  ];

  it.each(endings)('by %s ends the refresh tokens of the other sessions', async (_name, end) => {
    const owner = await register(site.console);
    const other = await login(site.console, owner);
    expect((await end(owner.token, owner.accountId)).status).toBeLessThan(300);
    expect((await refresh(site.console, other.value)).status).toBe(401);
    expect((await refresh(site.console, owner.value)).status).toBe(200);
  });

  it('is not a change of the role, which the next token has', async () => {
    const { accountId, value } = await register(site.console);
    await query("UPDATE accounts.accounts SET role = 'analyst' WHERE id = $1", [accountId]);
    const { token } = (await refresh(site.console, value)).body as { token: string };
    const { body } = await request('GET', '/api/auth/me', { token });
    expect(body).toMatchObject({ role: 'analyst' });
  });

  it('wins against a refresh that waits for it', async () => {
    const { accountId, value } = await register(site.console);
    const ending = await site.database.pool.connect();
    await ending.query('BEGIN');
    await ending.query('UPDATE accounts.sessions SET ended_at = now() WHERE account_id = $1', [accountId]);
    const refreshing = refresh(site.console, value);
    await waitForLock(site.database.pool);
    await ending.query('COMMIT');
    ending.release();
    expect((await refreshing).status).toBe(401);
  });

  it('deletes its refresh token a day after its expiry', async () => {
    const { accountId } = await register(site.console);
    const kept = await register(site.console);
    await query("UPDATE accounts.sessions SET expires_at = now() - interval '2 days' WHERE account_id = $1", [
      accountId,
    ]);
    const countOf = async () => (await query('SELECT FROM accounts.refresh_tokens')).rowCount ?? 0;
    const before = await countOf();
    await site.console.app.get(ExpiryCleanupJob).run();
    expect(await countOf()).toBe(before - 1);
    expect((await refresh(site.console, kept.value)).status).toBe(200);
  });
});
