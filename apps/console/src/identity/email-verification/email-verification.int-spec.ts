import { TestConsole, TestSite } from '../../testing/console.fixture';
import { createMailToken } from '../../notifications/mail/mail-tokens';
import { Mailbox } from '../../notifications/mail/mailbox.fixture';

const ERROR = { error: expect.any(String) };
const PASSWORD = 'correct horse battery';

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
const tokenFor = (accountId: string, email: string, purpose: 'verify_email') =>
  createMailToken(site.database.pool, { accountId, purpose, email });

describe('verifying the e-mail address', () => {
  it('accepts the token of the mail after the registration, once', async () => {
    const { email, token } = await register();
    expect((await me(token)).body).toMatchObject({ email_verified: false });
    const mailed = await mailbox.nextToken('verify_email', email);
    const answer = await post('email/verify', { token: mailed }, token);
    expect([answer.status, answer.body]).toEqual([202, { status: 'accepted' }]);
    expect((await me(token)).body).toMatchObject({ email_verified: true });
    expect(await eventsOf(token)).toContain('email.verified');
    expect((await post('email/verify', { token: mailed }, token)).status).toBe(400);
  });

  it('needs the password with a session that is not recent: somebody else may have put it into the browser', async () => {
    const { email, token, accountId } = await register();
    await site.database.pool.query(
      "UPDATE accounts.sessions SET created_at = now() - interval '11 minutes' WHERE account_id = $1",
      [accountId],
    );
    const mailed = await tokenFor(accountId, email, 'verify_email');
    expect((await post('email/verify', { token: mailed }, token)).status).toBe(403);
    expect((await post('email/verify', { token: mailed, password: PASSWORD }, token)).status).toBe(202);
  });

  it('needs the password without a session of the account', async () => {
    const { email, token, accountId } = await register();
    const mailed = await tokenFor(accountId, email, 'verify_email');
    const stranger = await register();
    const { apiKey } = await site.signedIn();
    for (const session of [undefined, stranger.token, apiKey, 'x.y.z']) {
      const answer = await post('email/verify', { token: mailed }, session);
      expect([answer.status, answer.body]).toEqual([
        403,
        { error: expect.stringMatching(/^password: is needed, .*reset it$/) },
      ]);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
    const wrong = await post('email/verify', { token: mailed, password: 'a wrong one' });
    expect([wrong.status, wrong.body]).toEqual([403, { error: 'password: is wrong' }]);
    expect(await eventsOf(token)).toContain('password.failed');
    expect((await me(token)).body).toMatchObject({ email_verified: false });
    const answer = await post('email/verify', { token: mailed, password: PASSWORD }, stranger.token);
    expect([answer.status, answer.body]).toEqual([202, { status: 'accepted' }]);
    expect((await me(token)).body).toMatchObject({ email_verified: true });
  });

  it('keeps what was made before for who knows the password', async () => {
    const { email, token, accountId } = await register();
    await site.console.request('POST', '/api/api-keys', { token, json: { name: 'my own' } });
    const mailed = await tokenFor(accountId, email, 'verify_email');
    expect((await post('email/verify', { token: mailed, password: PASSWORD })).status).toBe(202);
    const { body } = await site.console.request('GET', '/api/api-keys', { token });
    expect(body).toMatchObject({ api_keys: [{ name: 'my own' }] });
  });

  it('delays guesses of the password like those of a sign-in', async () => {
    const { email, accountId } = await register();
    const mailed = await tokenFor(accountId, email, 'verify_email');
    const strict = await TestConsole.start(site.database.urlFor('console'), {
      ...mailbox.environment,
      RATE_LIMIT_MULTIPLIER: '1',
    });
    const guess = async () => {
      const json = { token: mailed, password: 'a wrong one' };
      return strict.request('POST', '/api/auth/email/verify', { json });
    };
    let answer = await guess();
    // On a busy machine the first delays may be over when the next guess arrives; they double.
    for (let i = 1; i < 20 && answer.status === 403; i++) answer = await guess();
    await strict.close();
    expect([answer.status, answer.body]).toEqual([429, { error: 'too many attempts, try again later' }]);
  });

  it('sends the mail in the language of the account', async () => {
    const { email, token } = await register({ language: 'zh-CN' });
    expect((await me(token)).body).toMatchObject({ language: 'zh-CN' });
    expect(await mailbox.next('verify_email', email)).toContain('确认');
    const browser = { 'Accept-Language': 'zh-TW,zh;q=0.9,en;q=0.8' };
    const json = { email: 'browser@example.com', password: PASSWORD };
    await site.console.request('POST', '/api/auth/register', { json, headers: browser });
    expect(await mailbox.next('verify_email', 'browser@example.com')).toContain('确认');
  });

  it('sends another token on request, if there is such an account', async () => {
    const { email, token } = await register();
    const first = await mailbox.nextToken('verify_email', email);
    await site.database.pool.query(
      "UPDATE accounts.mail_tokens SET created_at = now() - interval '2 minutes'",
    );
    for (const to of [email, 'nobody@example.com']) {
      const answer = await post('email/verify', { email: to });
      expect([answer.status, answer.body]).toEqual([202, { status: 'accepted' }]);
    }
    const second = await mailbox.nextToken('verify_email', email);
    expect(second).not.toBe(first);
    expect((await post('email/verify', { token: second }, token)).status).toBe(202);
  });

  it.each([
    [{}],
    [{ token: '' }],
    [{ email: 'nobody' }],
    [{ token: 7 }],
    [{ token: `vrf_${'a'.repeat(43)}` }],
    [{ email: 'nobody@example.com', token: `vrf_${'a'.repeat(43)}` }],
    [{ email: 'nobody@example.com', language: 'en' }],
    [[]],
  ])('is 400 for %j', async (json) => {
    const answer = await post('email/verify', json);
    expect([answer.status, answer.body]).toEqual([400, ERROR]);
  });
});
