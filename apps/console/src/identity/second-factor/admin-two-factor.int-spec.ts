import { TestSite } from '../../testing/console.fixture';
import { FrozenClock, securedAccount } from './two-factor.fixture';

let site: TestSite;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

describe('two factors of an owner who has lost them', () => {
  const disable = (id: string, { token, password }: { token: string; password?: string } = owner) =>
    site.console.request('POST', `/api/admin/accounts/${id}/2fa/disable`, { token, json: { password } });
  /** An admin with a password. */
  let owner: { token: string; accountId: string; password: string };

  beforeAll(async () => {
    const json = { email: 'owner@example.com', password: 'correct horse battery' };
    const { body } = await site.console.request('POST', '/api/auth/register', { json });
    const { token, user } = body as { token: string; user: { id: string } };
    owner = { token, accountId: user.id, password: json.password };
    await site.database.pool.query("UPDATE accounts.accounts SET role = 'admin' WHERE id = $1", [
      owner.accountId,
    ]);
  });

  it('are turned off by an admin, which ends the sessions and is recorded', async () => {
    const clock = new FrozenClock();
    const { accountId, email, password, token } = await securedAccount(site, clock);
    clock.thaw();
    const answer = await disable(accountId);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await site.console.request('GET', '/api/auth/me', { token })).status).toBe(401);
    const json = { identifier: email, password };
    const login = await site.console.request('POST', '/api/auth/login', { json });
    expect(login.body).toMatchObject({ token: expect.any(String) });
    const { rows } = await site.database.pool.query(
      "SELECT actor_id FROM accounts.security_events WHERE account_id = $1 AND type = 'two_factor.disabled'",
      [accountId],
    );
    expect(rows).toEqual([{ actor_id: owner.accountId }]);
    expect((await disable(accountId)).status).toBe(409);
  });

  it('are not turned off without the password, nor by an admin for themselves', async () => {
    const { accountId } = await site.signedIn();
    expect((await disable(accountId, { token: owner.token })).status).toBe(400);
    expect((await disable(accountId, { ...owner, password: 'a wrong one' })).status).toBe(403);
    expect((await disable(owner.accountId)).status).toBe(403);
    expect((await disable(accountId)).status).toBe(409);
  });

  it('are turned off by an admin who sends a code instead of the password', async () => {
    const clock = new FrozenClock();
    const [lost, admin] = [await securedAccount(site, clock), await securedAccount(site, clock)];
    await site.database.pool.query("UPDATE accounts.accounts SET role = 'admin' WHERE id = $1", [
      admin.accountId,
    ]);
    const disableBy = (code: string) =>
      site.console.request('POST', `/api/admin/accounts/${lost.accountId}/2fa/disable`, {
        token: admin.token,
        json: { code },
      });
    expect((await disableBy(admin.authenticator.wrongCode())).status).toBe(403);
    expect((await disableBy(lost.authenticator.code())).status).toBe(403);
    expect((await disableBy(admin.authenticator.code())).status).toBe(204);
    clock.thaw();
  });

  it.each(['acct_unknown', 'x'])('two factors of %s are 404', async (id) => {
    expect((await disable(id)).status).toBe(404);
  });
});
