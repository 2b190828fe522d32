import { waitForLock } from '@inference/testing';
import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';
import { eventTypes, FrozenClock, securedAccount } from '../second-factor/two-factor.fixture';

interface Account {
  id: string;
  email: string;
  role: string;
}

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
});
afterAll(() => site.stop());

const list = (query = '') =>
  site.console.request('GET', `/api/admin/accounts${query}`, { token: admin.token });
const read = (id: string) => site.console.request('GET', `/api/admin/accounts/${id}`, { token: admin.token });
const setRole = (id: string, json: unknown, token = admin.token) =>
  site.console.request('PUT', `/api/admin/accounts/${id}/role`, { token, json });
const emailOf = (accountId: string) => `${accountId.toLowerCase()}@example.com`;
const accountsIn = ({ body }: Answer) =>
  (body as { accounts: Account[]; next_cursor: string | null }).accounts;

describe('the accounts, as admins see them', () => {
  it('are found by each of their identifiers', async () => {
    const json = {
      email: 'found@example.com',
      password: 'correct horse battery',
      phone: '+1 415 555 0123',
      username: 'found',
    };
    await site.console.request('POST', '/api/auth/register', { json });
    for (const identifier of ['found@example.com', 'FOUND', '+1 (415) 555-0123']) {
      const answer = await list(`?identifier=${encodeURIComponent(identifier)}`);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          accounts: [
            {
              id: expect.stringMatching(/^acct_/),
              email: 'found@example.com',
              email_verified: false,
              phone: '+14155550123',
              username: 'found',
              role: 'user',
              two_factor_enabled: false,
              balance: 0,
              currency: 'USD',
              created_at: expect.any(String),
              suspension: null,
            },
          ],
          next_cursor: null,
        },
      ]);
    }
    expect((await list('?identifier=nobody')).body).toEqual({ accounts: [], next_cursor: null });
  });

  it('are found by a part of what identifies them, newest first and in pages', async () => {
    const made: string[] = [];
    for (const [email, username, phone] of [
      ['a_b@part.example.com', 'first.part', '+14155550177'],
      ['axb@part.example.com', 'second.part', '+8613800138177'],
      ['back@PART.example.com', undefined, undefined],
    ]) {
      const json = { email, username, phone, password: 'correct horse battery' };
      const { status } = await site.console.request('POST', '/api/auth/register', { json });
      expect(status).toBe(201);
      made.unshift(accountsIn(await list(`?identifier=${encodeURIComponent(email!.toLowerCase())}`))[0]!.id);
    }
    const [back, axb, underscore] = made as [string, string, string];
    const found = async (search: string, more = '') =>
      accountsIn(await list(`?search=${encodeURIComponent(search)}${more}`)).map(({ id }) => id);
    expect(await found('@Part.')).toEqual(made);
    expect(await found('.PART')).toEqual([axb, underscore]);
    // Wildcards of LIKE are ordinary characters.
    expect(await found('a_b@part')).toEqual([underscore]);
    for (const wildcard of ['a%@part', '%', '\\', '\\%']) expect(await found(wildcard)).toEqual([]);
    expect(await found('138 0013 8177')).toEqual([axb]);
    expect(await found('0177')).toEqual([underscore]);
    for (const fullWidth of ['＠ｐａｒｔ．', '\u202a@part.\u202c'])
      expect(await found(fullWidth)).toEqual(made);
    expect(await found('１３８ ００１３ ８１７７')).toEqual([axb]);
    expect(await found(back)).toEqual([back]);
    expect(await found(back.slice(0, -4))).toEqual([back]);
    expect(await found(back.slice(8, -3))).toEqual([back]);
    // The beginning of every id is no part of one.
    expect(await found('acct')).not.toContain(back);
    expect(await found('@part', '&identifier=first.part')).toEqual([underscore]);
    const first = await list('?search=@part&limit=2');
    const { next_cursor: cursor } = first.body as { next_cursor: string };
    expect(await found('@part', `&limit=2&cursor=${cursor}`)).toEqual([underscore]);
    expect((await list(`?search=part&limit=2&cursor=${cursor}`)).status).toBe(400);
  });

  it('are found by both spellings of an international domain', async () => {
    const json = { email: 'ann@sub.müller.example', password: 'correct horse battery' };
    await site.console.request('POST', '/api/auth/register', { json });
    for (const query of [
      'search=@sub.xn--mller-kva.exa',
      'search=MÜLLER',
      'identifier=ann@sub.XN--MLLER-KVA.example',
    ])
      expect(accountsIn(await list(`?${query}`)).map(({ email }) => email)).toEqual([json.email]);
  });

  it('are found by their ids', async () => {
    const [first, second] = [await site.signedIn(), await site.signedIn()];
    const found = async (query: string) => accountsIn(await list(query)).map(({ id }) => id);
    expect(await found(`?ids=${first.accountId},acct_unknown,${second.accountId}`)).toEqual([
      second.accountId,
      first.accountId,
    ]);
    expect(await found('?ids=acct_unknown')).toEqual([]);
  });

  it('have the exact balance of their wallet', async () => {
    const { accountId } = await site.signedIn('user', 1_234_567_123_456_789_012n);
    const found = await read(accountId);
    expect([found.status, found.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(found.text).toContain('"balance":1234567.123456789012,"currency":"USD"');
    expect((await list('?limit=1')).text).toContain('"balance":1234567.123456789012,');
  });

  it.each(['acct_unknown', 'x', '%00'])('are 404 as %s', async (id) => {
    expect((await read(id)).status).toBe(404);
  });

  it('are listed in pages, newest first', async () => {
    const made = [await site.signedIn(), await site.signedIn(), await site.signedIn()];
    const first = await list('?limit=2');
    const { next_cursor: cursor } = first.body as { next_cursor: string };
    const second = await list(`?limit=2&cursor=${cursor}`);
    const ids = [...accountsIn(first), ...accountsIn(second)].map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(made.map(({ accountId }) => accountId).reverse());
  });

  it.each([
    'limit=0',
    'limit=1000',
    'cursor=x',
    'identifier=',
    `identifier=${'a'.repeat(255)}`,
    'ids=',
    'ids=acct_1,',
    'ids=acct_1,key_1',
    `ids=${Array.from({ length: 101 }, (_, index) => `acct_${index}`).join(',')}`,
    'search=',
    'search=%20',
    'search=%00',
    'search=a&search=b',
    `search=${'a'.repeat(255)}`,
    'role=admin',
  ])('are 400 with %s', async (query) => {
    expect((await list(`?${query}`)).status).toBe(400);
  });
});

describe('a role', () => {
  it('of staff is not given to an address that nobody has confirmed', async () => {
    const { accountId } = await site.signedIn();
    await site.database.pool.query('UPDATE accounts.accounts SET email_verified_at = NULL WHERE id = $1', [
      accountId,
    ]);
    for (const role of ['analyst', 'admin']) {
      const { status, body } = await setRole(accountId, { role });
      expect([status, body]).toEqual([409, { error: 'the e-mail address of the account is not confirmed' }]);
    }
    expect((await setRole(accountId, { role: 'user' })).status).toBe(200);
  });

  it('takes effect at once and is recorded', async () => {
    const { accountId, token } = await site.signedIn();
    const asAdmin = () => site.console.request('GET', '/api/admin/accounts', { token });
    expect((await asAdmin()).status).toBe(403);
    const raised = await setRole(accountId, { role: 'admin' });
    expect([raised.status, raised.body]).toEqual([
      200,
      expect.objectContaining({ id: accountId, role: 'admin' }),
    ]);
    expect((await asAdmin()).status).toBe(200);
    expect((await setRole(accountId, { role: 'admin' })).status).toBe(200);
    expect((await setRole(accountId, { role: 'analyst' })).status).toBe(200);
    expect((await asAdmin()).status).toBe(403);
    const { rows } = await site.database.pool.query<{ actor_id: string; details: object }>(
      `SELECT actor_id, details FROM accounts.security_events
       WHERE account_id = $1 AND type = 'account.role_changed' ORDER BY created_at`,
      [accountId],
    );
    expect(rows).toEqual([
      { actor_id: admin.accountId, details: { from: 'user', to: 'admin' } },
      { actor_id: admin.accountId, details: { from: 'admin', to: 'analyst' } },
    ]);
  });

  it('asks for the password or a code again, also of an admin with a fresh session', async () => {
    const clock = new FrozenClock();
    const secured = await securedAccount(site, clock);
    const { accountId } = await site.signedIn();
    await site.database.pool.query("UPDATE accounts.accounts SET role = 'admin' WHERE id = $1", [
      secured.accountId,
    ]);
    const change = async (json: object) => {
      const answer = await setRole(accountId, json, secured.token);
      return [answer.status, answer.body];
    };
    const role = 'analyst';
    expect(await change({ role })).toEqual([400, { error: 'password: is missing' }]);
    expect(await change({ role, password: 'a wrong one' })).toEqual([403, { error: 'password: is wrong' }]);
    const wrong = { role, code: secured.authenticator.wrongCode() };
    expect(await change(wrong)).toEqual([403, { error: 'code: is wrong, or was used before' }]);
    expect(await eventTypes(site, secured.accountId)).toEqual(
      expect.arrayContaining(['password.failed', 'second_factor.failed']),
    );
    expect(await eventTypes(site, accountId)).toEqual([]);
    const byCode = { role, code: secured.authenticator.code() };
    expect(await change(byCode)).toEqual([200, expect.objectContaining({ role })]);
    expect((await setRole(accountId, byCode, secured.token)).status).toBe(403);
    const byPassword = { role: 'user', password: secured.password };
    expect(await change(byPassword)).toEqual([200, expect.objectContaining({ role: 'user' })]);
    clock.thaw();
    const { token } = await site.signedIn('admin');
    expect((await setRole(accountId, { role, code: '123456' }, token)).body).toEqual({
      error: 'code: this account has no second factor; send the password',
    });
    await site.database.pool.query(
      "UPDATE accounts.accounts SET role = 'user' WHERE role = 'admin' AND id <> $1",
      [admin.accountId],
    );
  });

  it('needs a sign-in within the last minutes of an admin without a password', async () => {
    const { accountId, token } = await site.signedIn('admin');
    await site.database.pool.query(
      "UPDATE accounts.sessions SET created_at = now() - interval '11 minutes' WHERE account_id = $1",
      [accountId],
    );
    const friend = await site.signedIn();
    const answer = await setRole(friend.accountId, { role: 'analyst' }, token);
    expect([answer.status, answer.body]).toEqual([403, { error: 'sign in again first' }]);
    expect((await setRole(accountId, { role: 'user' })).status).toBe(200);
  });

  it('of an admin is mailed to all admins when it is given', async () => {
    const [other, fresh] = [await site.signedIn('admin'), await site.signedIn()];
    const mails = async () => {
      const { rows } = await site.database.pool.query<{ account_id: string; admin: object }>(
        `SELECT account_id, params->'admin' AS admin FROM accounts.mail_outbox WHERE kind = 'admin_appointed'
         AND params->'admin'->>'email' = $1 ORDER BY account_id`,
        [emailOf(fresh.accountId)],
      );
      return rows;
    };
    await setRole(fresh.accountId, { role: 'analyst' });
    expect(await mails()).toEqual([]);
    await setRole(fresh.accountId, { role: 'admin' });
    const facts = { email: emailOf(fresh.accountId), appointedBy: emailOf(admin.accountId) };
    const all = [admin.accountId, other.accountId, fresh.accountId].sort();
    expect(await mails()).toEqual(all.map((id) => ({ account_id: id, admin: facts })));
    await setRole(fresh.accountId, { role: 'admin' });
    expect(await mails()).toHaveLength(3);
    for (const { accountId } of [other, fresh]) await setRole(accountId, { role: 'user' });
  });

  it.each([
    [{}, 400],
    [{ role: 'king' }, 400],
    [{ role: ['admin'] }, 400],
  ])('is %j: %i', async (json, status) => {
    const { accountId } = await site.signedIn();
    expect((await setRole(accountId, json)).status).toBe(status);
  });

  it.each(['acct_unknown', 'x', '%00', "'--"])('the role of %s is 404', async (id) => {
    expect((await setRole(id, { role: 'user' })).status).toBe(404);
  });

  it('cannot be given by an admin who has just been demoted', async () => {
    const [demoted, friend] = [await site.signedIn('admin'), await site.signedIn()];
    const demoting = await site.database.pool.connect();
    await demoting.query('BEGIN');
    await demoting.query("UPDATE accounts.accounts SET role = 'user' WHERE id = $1", [demoted.accountId]);
    const promoted = setRole(friend.accountId, { role: 'admin' }, demoted.token);
    await waitForLock(site.database.pool);
    await demoting.query('COMMIT');
    demoting.release();
    expect((await promoted).status).toBe(403);
  });

  it('does not deadlock with another change of admins', async () => {
    // This account has the smallest id.
    await site.database.pool.query(
      `INSERT INTO accounts.accounts (id, email, email_verified_at) VALUES ('acct_0', 'first@example.com', now())`,
    );
    const other = await site.database.pool.connect();
    const lock = (id: string) =>
      other.query('SELECT FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
    await other.query('BEGIN');
    await lock('acct_0');
    const change = setRole('acct_0', { role: 'analyst' });
    await waitForLock(site.database.pool);
    await lock(admin.accountId);
    await other.query('COMMIT');
    other.release();
    expect((await change).status).toBe(200);
  });

  it('the last admin keeps the role under concurrent demotions', async () => {
    const others = [await site.signedIn('admin'), await site.signedIn('admin'), await site.signedIn('admin')];
    const all = [admin, ...others];
    const answers = await Promise.all(
      all.map(({ accountId, token }) => setRole(accountId, { role: 'user' }, token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
    const { rows } = await site.database.pool.query<{ id: string }>(
      "SELECT id FROM accounts.accounts WHERE role = 'admin'",
    );
    expect(rows).toHaveLength(1);
  });
});
