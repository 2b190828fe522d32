import { type SandboxOidc } from '@inference/sandbox-oidc';
import { ROLES, STAFF_ROLES, type StaffRole } from '@inference/guards';
import { TestSite } from '../../testing/console.fixture';
import { OAuthClient, settingsOf, startProvider } from '../oauth/oauth.fixture';
import { FrozenClock, securedAccount } from '../second-factor/two-factor.fixture';
import { Authenticator } from '../second-factor/two-factor.fixture';

interface Member {
  id: string;
  email: string;
  role: StaffRole;
  since: string;
  given_by: string | null;
  provider: string | null;
  second_factor: string | null;
  last_used_at: string | null;
}

const REFUSED = {
  error: 'staff must have a second factor: set one up with POST /api/auth/2fa/setup, or sign in with it',
};

let site: TestSite;
let company: SandboxOidc;
/** Gives no roles. */
let customers: SandboxOidc;
let client: OAuthClient;
/** With a second factor. */
let admin: { accountId: string; token: string };

const call: TestSite['console']['request'] = (...args) => site.console.request(...args);
const get = (path: string, token: string) => call('GET', path, { token });
const query = (text: string, values: unknown[]) => site.database.pool.query(text, values);
const setRole = (id: string, role: string) =>
  query('UPDATE accounts.accounts SET role = $2 WHERE id = $1', [id, role]);
const roleOf = async (id: string) =>
  (await query('SELECT role FROM accounts.accounts WHERE id = $1', [id])).rows[0] as { role: string };

beforeAll(async () => {
  company = await startProvider('company', 'id_token');
  customers = await startProvider('customers', 'id_token');
  const staffRoles = [
    { group: 'platform-admins', role: 'admin' },
    { group: 'platform-ops', role: 'operator' },
    { group: 'books', role: 'finance' },
  ];
  const provider = { ...settingsOf('company', company.issuer), staff_roles: staffRoles };
  const providers = [provider, settingsOf('customers', customers.issuer)];
  site = await TestSite.start({ STAFF_2FA: 'required', OAUTH_PROVIDERS: JSON.stringify(providers) });
  client = new OAuthClient(site.console);
  const { accountId } = await site.signedIn('admin');
  admin = { accountId, token: await site.console.openSession(accountId, 'totp') };
});
afterAll(async () => {
  await Promise.all([company.kill(), customers.kill(), site.stop()]);
});

describe('staff that must have a second factor', () => {
  it('has a session that can only set it up, until it is set up', async () => {
    const { accountId, token, apiKey } = await site.signedIn('finance');
    expect((await get('/api/auth/me', token)).body).toMatchObject({
      role: 'finance',
      second_factor_required: true,
    });
    for (const path of ['/api/admin/billing/payments', '/api/api-keys', '/api/billing/transactions']) {
      const { status, body } = await get(path, token);
      expect([path, status, body]).toEqual([path, 403, REFUSED]);
    }
    expect((await call('PATCH', '/api/auth/me', { token, json: { language: 'en' } })).status).toBe(200);
    const setup = await call('POST', '/api/auth/2fa/setup', { token });
    const authenticator = new Authenticator((setup.body as { otpauth_url: string }).otpauth_url);
    const json = { code: authenticator.code() };
    expect((await call('POST', '/api/auth/2fa/enable', { token, json })).status).toBe(200);
    expect((await get('/api/auth/me', token)).body).toMatchObject({ second_factor_required: false });
    expect((await get('/api/admin/billing/payments', token)).status).toBe(200);
    expect((await get('/api/admin/releases', token)).status).toBe(403);
    const keys = { headers: { Authorization: `Bearer ${apiKey}` } };
    expect((await call('GET', '/api/admin/billing/payments', keys)).status).toBe(401);
    expect(await roleOf(accountId)).toEqual({ role: 'finance' });
  });

  it('loses its rights at once when the second factor is turned off', async () => {
    const clock = new FrozenClock();
    const { accountId, token, password, authenticator } = await securedAccount(site, clock);
    await setRole(accountId, 'support');
    expect((await get('/api/admin/accounts', token)).status).toBe(200);
    const json = { password, code: authenticator.code() };
    expect((await call('POST', '/api/auth/2fa/disable', { token, json })).status).toBe(204);
    expect((await get('/api/admin/accounts', token)).body).toEqual(REFUSED);
    clock.thaw();
  });

  it('is asked when a customer becomes staff in the middle of a session', async () => {
    const { accountId, token } = await site.signedIn();
    expect((await get('/api/api-keys', token)).status).toBe(200);
    await setRole(accountId, 'analyst');
    expect((await get('/api/api-keys', token)).body).toEqual(REFUSED);
  });

  it('has one that its provider has asked for', async () => {
    for (const [amr, status] of [
      [null, 403],
      [['pwd'], 403],
      [['otp'], 403],
      [['hwk'], 403],
      [['hwk', 'swk'], 403],
      [['pwd', 'pin'], 403],
      [['pwd', 'mfa'], 200],
      [['mfa'], 200],
      [['hwk', 'pin'], 200],
    ] as const) {
      await company.injectFaults({ id_token: { amr, groups: ['books'] } });
      const { body } = await client.signIn(company, 'company', { email: 'amr@company.example' });
      const { token } = body as { token: string };
      expect([amr, (await get('/api/admin/billing/refunds', token)).status]).toEqual([amr, status]);
    }
  });
});

describe('the second factor of a provider that gives no roles', () => {
  it('does not count', async () => {
    await customers.injectFaults({ id_token: { amr: ['mfa'] } });
    const signIn = async () =>
      (await client.signIn(customers, 'customers', { email: 'both@company.example' })).body as {
        token: string;
        user: { id: string };
      };
    await setRole((await signIn()).user.id, 'finance');
    expect((await get('/api/admin/billing/refunds', (await signIn()).token)).body).toEqual(REFUSED);
  });
});

describe('staff whose second factor is that of a provider', () => {
  it('sets up no authenticator in a session without it, until an admin gives the role anew', async () => {
    await company.injectFaults({ id_token: { amr: ['mfa'], groups: ['books'] } });
    const { body } = await client.signIn(company, 'company', { email: 'sso@company.example' });
    const { token, user } = body as { token: string; user: { id: string } };
    const byPassword = await site.console.openSession(user.id);
    const setUp = (session: string) => call('POST', '/api/auth/2fa/setup', { token: session });
    const setup = await setUp(token);
    expect(setup.status).toBe(200);
    const authenticator = new Authenticator((setup.body as { otpauth_url: string }).otpauth_url);
    const enable = { token: byPassword, json: { code: authenticator.code() } };
    for (const { status, body } of [
      await setUp(byPassword),
      await call('POST', '/api/auth/2fa/enable', enable),
    ])
      expect([status, body]).toEqual([
        403,
        {
          error:
            'the second factor of this account is that of its provider: sign in there, or let an admin give the role anew',
        },
      ]);
    const giveRole = (role: string) =>
      call('PUT', `/api/admin/accounts/${user.id}/role`, { token: admin.token, json: { role } });
    expect((await giveRole('support')).status).toBe(200);
    expect((await setUp(byPassword)).status).toBe(200);
    // Since a person gave the role, the provider has asked for the factor again.
    await company.injectFaults({ id_token: { amr: ['mfa'], groups: [] } });
    await client.signIn(company, 'company', { email: 'sso@company.example' });
    expect((await setUp(byPassword)).status).toBe(403);
  });
});

describe('groups of a provider', () => {
  const signIn = async (email: string, groups: unknown) => {
    await company.injectFaults({ id_token: { amr: ['mfa'], groups } });
    const { status, body } = await client.signIn(company, 'company', { email });
    expect(status).toBe(200);
    return body as { token: string; user: { id: string } };
  };

  it('give a role at each sign-in and take it back, and both are recorded', async () => {
    const email = 'groups@company.example';
    const { user } = await signIn(email, ['everybody', 'books', 'platform-ops']);
    expect(await roleOf(user.id)).toEqual({ role: 'operator' });
    await signIn(email, 'books');
    expect(await roleOf(user.id)).toEqual({ role: 'finance' });
    for (const none of [[], ['Books'], null, 7, [{ books: true }]]) {
      await signIn(email, none);
      expect(await roleOf(user.id)).toEqual({ role: 'user' });
    }
    const { rows } = await query(
      "SELECT actor_id, details FROM accounts.security_events WHERE account_id = $1 AND type = 'account.role_changed' ORDER BY created_at",
      [user.id],
    );
    const by = { provider: 'company' };
    expect(rows).toEqual([
      { actor_id: null, details: { from: 'user', to: 'operator', ...by } },
      { actor_id: null, details: { from: 'operator', to: 'finance', ...by } },
      { actor_id: null, details: { from: 'finance', to: 'user', ...by } },
    ]);
  });

  it('do not take a role back that a person gave, nor the one of the last admin', async () => {
    const { user } = await signIn('byhand@company.example', []);
    const given = await call('PUT', `/api/admin/accounts/${user.id}/role`, {
      token: admin.token,
      json: { role: 'support' },
    });
    expect(given.status).toBe(200);
    await signIn('byhand@company.example', []);
    expect(await roleOf(user.id)).toEqual({ role: 'support' });

    const boss = (await signIn('boss@company.example', ['platform-admins'])).user;
    expect(await roleOf(boss.id)).toEqual({ role: 'admin' });
    await setRole(admin.accountId, 'user');
    await signIn('boss@company.example', []);
    expect(await roleOf(boss.id)).toEqual({ role: 'admin' });
    await setRole(admin.accountId, 'admin');
    await signIn('boss@company.example', []);
    expect(await roleOf(boss.id)).toEqual({ role: 'user' });
  });
});

describe('the two factors of an account', () => {
  it('are turned off by support for customers only', async () => {
    const { accountId } = await site.signedIn('support');
    const token = await site.console.openSession(accountId, 'totp');
    const disable = (id: string) =>
      call('POST', `/api/admin/accounts/${id}/2fa/disable`, { token, json: {} });
    for (const role of ROLES) {
      const target = await site.signedIn(role);
      const { status, body } = await disable(target.accountId);
      // 409: they are not on.
      expect([role, status]).toEqual([role, role === 'user' ? 409 : 403]);
      if (role !== 'user') expect(body).toEqual({ error: 'only admins turn off the two factors of staff' });
    }
  });
});

describe('the review of the staff', () => {
  it('says who is staff since when and by whom, with the second factor and the last use', async () => {
    const clock = new FrozenClock();
    const { accountId, email } = await securedAccount(site, clock);
    clock.thaw();
    const given = await call('PUT', `/api/admin/accounts/${accountId}/role`, {
      token: admin.token,
      json: { role: 'operator' },
    });
    expect(given.status).toBe(200);
    const { body } = await get('/api/admin/staff', admin.token);
    const { staff } = body as { staff: Member[] };
    const { rows } = await query(
      `SELECT e.created_at, a.email FROM accounts.security_events e JOIN accounts.accounts a ON a.id = e.actor_id
       WHERE e.account_id = $1 AND e.type = 'account.role_changed'`,
      [accountId],
    );
    const [change] = rows as { created_at: Date; email: string }[];
    expect(staff.find(({ id }) => id === accountId)).toEqual({
      id: accountId,
      email,
      role: 'operator',
      since: change!.created_at.toISOString(),
      given_by: change!.email,
      provider: null,
      second_factor: 'totp',
      last_used_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(staff.find((one) => one.email === 'amr@company.example')).toMatchObject({
      role: 'finance',
      given_by: null,
      provider: 'company',
      second_factor: 'provider',
    });
    const roles = staff.map(({ role }) => STAFF_ROLES.indexOf(role));
    expect(roles).toEqual(roles.toSorted((one, other) => one - other));
    const { rows: all } = await query("SELECT id FROM accounts.accounts WHERE role <> 'user'", []);
    expect(staff.map(({ id }) => id).sort()).toEqual((all as { id: string }[]).map(({ id }) => id).sort());

    const csv = await call('GET', '/api/admin/staff', {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(staff.length + 1);
    expect(lines[0]).toBe('id,email,role,since,given_by,provider,second_factor,last_used_at');
    const mine = staff.find(({ id }) => id === accountId)!;
    expect(lines).toContain(
      `${mine.id},${mine.email},operator,${mine.since},${mine.given_by},,totp,${mine.last_used_at}`,
    );
  });
});

describe('a list as CSV', () => {
  const csv = (path: string) => call('GET', path, { token: admin.token, headers: { Accept: 'text/csv' } });

  it('has all rows of all pages, in the order of the pages', async () => {
    await query(
      `INSERT INTO accounts.accounts (id, email) SELECT 'acct_many' || n, 'many' || n || '@list.example' FROM generate_series(1, 220) n`,
      [],
    );
    const { text, status } = await csv('/api/admin/accounts?search=list.example');
    expect(status).toBe(200);
    const [header, ...lines] = text.trimEnd().split('\r\n');
    expect(header).toBe(
      'id,email,email_verified,phone,username,role,two_factor_enabled,balance,currency,created_at',
    );
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/api/admin/accounts?search=list.example&limit=100${cursor ? `&cursor=${cursor}` : ''}`;
      const page = (await get(path, admin.token)).body as {
        accounts: { id: string }[];
        next_cursor: string | null;
      };
      ids.push(...page.accounts.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(ids).toHaveLength(220);
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids);
  });

  it('has no pages, and refuses what the list refuses', async () => {
    for (const query of ['?limit=5', '?cursor=x', '?ids=nobody', '?unknown=1'])
      expect([query, (await csv(`/api/admin/accounts${query}`)).status]).toEqual([query, 400]);
    expect((await csv('/api/admin/accounts/acct_unknown/transactions')).status).toBe(404);
  });

  it('does not make a formula of what a customer chose', async () => {
    await query("UPDATE accounts.accounts SET email = '=cmd@list.example' WHERE id = 'acct_many1'", []);
    const { text } = await csv('/api/admin/accounts?ids=acct_many1');
    expect(text).toContain("acct_many1,'=cmd@list.example,");
  });
});
