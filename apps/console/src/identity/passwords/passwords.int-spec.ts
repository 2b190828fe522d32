import { waitFor } from '@inference/testing';
import { TestSite } from '../../testing/console.fixture';
import { createMailToken } from '../../notifications/mail/mail-tokens';
import { Mailbox } from '../../notifications/mail/mailbox.fixture';

const ERROR = { error: expect.any(String) };
const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of another horse';

let site: TestSite;
let mailbox: Mailbox;
let registered = 0;

beforeAll(async () => {
  mailbox = new Mailbox();
  site = await TestSite.start(mailbox.environment);
});
afterAll(async () => {
  await site.stop();
  mailbox.remove();
});

const post = (path: string, json?: unknown, token?: string) =>
  site.console.request('POST', `/api/auth/${path}`, { json, ...(token !== undefined && { token }) });
const me = (token: string) => site.console.request('GET', '/api/auth/me', { token });
const login = (identifier: string, password: string) => post('login', { identifier, password });
const change = (token: string, json: unknown) =>
  site.console.request('PUT', '/api/auth/password', { token, json });

async function register(fields: object = {}) {
  const email = `somebody${++registered}@example.com`;
  const answer = await post('register', { email, password: PASSWORD, ...fields });
  expect(answer.status).toBe(201);
  const { token, user } = answer.body as { token: string; user: { id: string } };
  return { email, token, accountId: user.id };
}
const eventsOf = async (token: string) => {
  const { body } = await site.console.request('GET', '/api/auth/events', { token });
  return (body as { events: { type: string }[] }).events.map(({ type }) => type);
};
const tokenFor = (accountId: string, email: string, purpose: 'reset_password' | 'verify_email') =>
  createMailToken(site.database.pool, { accountId, purpose, email });

describe('a forgotten password', () => {
  it('is replaced by mail, and all sessions that began with it end', async () => {
    const { email, token } = await register();
    const asked = await post('password/forgot', { identifier: ` ${email.toUpperCase()}` });
    expect([asked.status, asked.body]).toEqual([202, { status: 'accepted' }]);
    const resetToken = await mailbox.nextToken('reset_password', email);
    const answer = await post('password/reset', { token: resetToken, password: NEW_PASSWORD });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([202, null]);
    expect((await me(token)).status).toBe(401);
    expect((await login(email, PASSWORD)).status).toBe(401);
    const fresh = (await login(email, NEW_PASSWORD)).body as { token: string };
    expect((await me(fresh.token)).body).toMatchObject({ email_verified: true });
    expect(await eventsOf(fresh.token)).toEqual(
      expect.arrayContaining(['password.reset_requested', 'password.reset']),
    );
    expect(await mailbox.next('password_changed', email)).toContain('was changed');
  });

  it('is announced to delete what was made before the address was confirmed, if there is any', async () => {
    const [early, late] = [await register(), await register()];
    const makeKey = ({ token }: typeof early) =>
      site.console.request('POST', '/api/api-keys', { token, json: { name: 'key' } });
    await makeKey(early);
    for (const { accountId } of [early, late]) await site.confirmAddress(accountId);
    await makeKey(late);
    for (const { email } of [early, late]) await post('password/forgot', { identifier: email });
    expect(await mailbox.next('reset_password', early.email)).toContain('API keys');
    expect(await mailbox.next('reset_password', late.email)).not.toContain('API keys');
  });

  it.each(['email', 'phone', 'username'])('is requested by %s', async (kind) => {
    const digits = String(4_155_550_000 + registered);
    const account = { phone: `+1${digits}`, username: `user${registered}` };
    const { email } = await register(account);
    const identifier = { email, ...account }[kind];
    expect((await post('password/forgot', { identifier })).status).toBe(202);
    expect(await mailbox.nextToken('reset_password', email)).toMatch(/^rst_/);
  });

  it('accepts the field "email" too', async () => {
    const { email } = await register();
    expect((await post('password/forgot', { email })).status).toBe(202);
    expect(await mailbox.nextToken('reset_password', email)).toMatch(/^rst_/);
  });

  it('has the same response for an unknown account', async () => {
    const answer = await post('password/forgot', { identifier: 'nobody@example.com' });
    expect([answer.status, answer.body]).toEqual([202, { status: 'accepted' }]);
    await waitFor(async () => {
      const { rowCount } = await site.database.pool.query(
        "SELECT FROM accounts.mail_outbox WHERE identifier = 'nobody@example.com'",
      );
      return rowCount === 0;
    });
  });

  it.each([
    [{}],
    [{ identifier: '' }],
    [{ identifier: 7 }],
    [{ identifier: 'a'.repeat(255) }],
    [{ identifier: 'a', email: 'b' }],
    [null],
  ])('is 400 for %j', async (json) => {
    const answer = await post('password/forgot', json);
    expect([answer.status, answer.body]).toEqual([400, ERROR]);
  });
});

describe('a reset token', () => {
  it('works once', async () => {
    const { email, accountId } = await register();
    const token = await tokenFor(accountId, email, 'reset_password');
    expect((await post('password/reset', { token, password: NEW_PASSWORD })).status).toBe(202);
    const again = await post('password/reset', { token, password: PASSWORD });
    expect([again.status, again.body]).toEqual([400, ERROR]);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('works once for 50 concurrent uses', async () => {
    const { email, accountId } = await register();
    const token = await tokenFor(accountId, email, 'reset_password');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        post('password/reset', { token, password: `${NEW_PASSWORD} ${n}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(49).fill(400)]);
    const winner = answers.findIndex(({ status }) => status === 202);
    expect((await login(email, `${NEW_PASSWORD} ${winner}`)).status).toBe(200);
  });

  it('does not work after its expiry or after another token was used', async () => {
    const { email, accountId } = await register();
    const [late, other, used] = [
      await tokenFor(accountId, email, 'reset_password'),
      await tokenFor(accountId, email, 'reset_password'),
      await tokenFor(accountId, email, 'reset_password'),
    ];
    await site.database.pool.query(
      'UPDATE accounts.mail_tokens SET expires_at = now() WHERE token_hash = sha256($1::bytea)',
      [Buffer.from(late)],
    );
    expect((await post('password/reset', { token: late, password: NEW_PASSWORD })).status).toBe(400);
    expect((await post('password/reset', { token: used, password: NEW_PASSWORD })).status).toBe(202);
    expect((await post('password/reset', { token: other, password: PASSWORD })).status).toBe(400);
  });

  it('does not confirm an address, and a verification token does not reset a password', async () => {
    const { email, accountId } = await register();
    const confirming = await tokenFor(accountId, email, 'verify_email');
    const resetting = await tokenFor(accountId, email, 'reset_password');
    expect((await post('password/reset', { token: confirming, password: NEW_PASSWORD })).status).toBe(400);
    expect((await post('email/verify', { token: resetting })).status).toBe(400);
  });

  it('is not used up by a password that is refused', async () => {
    const { email, accountId } = await register();
    const token = await tokenFor(accountId, email, 'reset_password');
    expect((await post('password/reset', { token, password: 'short' })).status).toBe(400);
    expect((await post('password/reset', { token, password: NEW_PASSWORD })).status).toBe(202);
  });

  it.each([
    [{ password: NEW_PASSWORD }],
    [{ token: '', password: NEW_PASSWORD }],
    [{ token: 'x'.repeat(201), password: NEW_PASSWORD }],
    [{ token: 'rst_unknown', password: NEW_PASSWORD }],
    [{ token: `rst_${'a'.repeat(43)}`, password: NEW_PASSWORD }],
    [{ token: ["' OR 1=1 --"], password: NEW_PASSWORD }],
    [{ token: 'rst_unknown' }],
  ])('is 400 as %j', async (json) => {
    const answer = await post('password/reset', json);
    expect([answer.status, answer.body]).toEqual([400, ERROR]);
  });
});

describe('changing the password', () => {
  it('ends the other sessions and keeps the one that changes it', async () => {
    const { email, token, accountId } = await register();
    const other = await site.console.openSession(accountId);
    const answer = await change(token, { current_password: PASSWORD, new_password: NEW_PASSWORD });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await me(token)).status).toBe(200);
    expect((await me(other)).status).toBe(401);
    expect((await login(email, PASSWORD)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    expect(await eventsOf(token)).toContain('password.changed');
    expect(await mailbox.next('password_changed', email)).toContain('From: 127.0.0.1');
  });

  it('is 403 with a wrong password, which is recorded', async () => {
    const { token } = await register();
    const answer = await change(token, { current_password: 'a wrong one', new_password: NEW_PASSWORD });
    expect([answer.status, answer.body]).toEqual([403, ERROR]);
    expect(await eventsOf(token)).toContain('password.failed');
  });

  it.each([
    [{}],
    [{ current_password: PASSWORD }],
    [{ new_password: NEW_PASSWORD }],
    [{ current_password: PASSWORD, new_password: 'short' }],
    [{ current_password: PASSWORD, new_password: ['x'] }],
  ])('is 400 for %j', async (json) => {
    const { token } = await register();
    expect((await change(token, json)).status).toBe(400);
  });

  it('is 409 for an account without a password, which sets its first one by a reset', async () => {
    const { token, accountId, email } = await register();
    await site.database.pool.query('UPDATE accounts.accounts SET password_hash = NULL WHERE id = $1', [
      accountId,
    ]);
    expect((await me(token)).body).toMatchObject({ has_password: false });
    const answer = await change(token, { current_password: PASSWORD, new_password: NEW_PASSWORD });
    expect([answer.status, answer.body]).toEqual([409, ERROR]);
    expect((await login(email, PASSWORD)).status).toBe(401);
    const reset = { token: await tokenFor(accountId, email, 'reset_password'), password: NEW_PASSWORD };
    expect((await post('password/reset', reset)).status).toBe(202);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('refuses a sign-in that began with the old password', async () => {
    const { email, token, accountId } = await register();
    const attempts = Array.from({ length: 20 }, () => login(email, PASSWORD));
    const changed = change(token, { current_password: PASSWORD, new_password: NEW_PASSWORD });
    const opened = (await Promise.all(attempts)).flatMap(({ status, body }) =>
      status === 200 ? [(body as { token: string }).token] : [],
    );
    expect((await changed).status).toBe(204);
    for (const session of opened) expect((await me(session)).status).toBe(401);
    const { rowCount } = await site.database.pool.query(
      'SELECT FROM accounts.sessions WHERE account_id = $1 AND ended_at IS NULL',
      [accountId],
    );
    expect(rowCount).toBe(1);
  });
});
