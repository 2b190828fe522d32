import { TestSite } from '../../testing/console.fixture';
import { createMailToken } from '../../notifications/mail/mail-tokens';
import { hashPassword } from './password-hasher';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of another horse';

let site: TestSite;
let registered = 0;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

const post = (path: string, json: unknown) => site.console.request('POST', `/api/auth/${path}`, { json });
const login = (identifier: string, password: string) => post('login', { identifier, password });
const change = (token: string, json: unknown) =>
  site.console.request('PUT', '/api/auth/password', { token, json });

async function register() {
  const email = `somebody${++registered}@example.com`;
  const answer = await post('register', { email, password: PASSWORD });
  expect(answer.status).toBe(201);
  const { token, user } = answer.body as { token: string; user: { id: string } };
  return { email, token, accountId: user.id };
}
const tokenFor = (accountId: string, email: string, purpose: 'reset_password') =>
  createMailToken(site.database.pool, { accountId, purpose, email });

describe('a password that is guessed first', () => {
  const refusal = (field: string, { status, body }: { status: number; body: unknown }) => {
    expect([status, body]).toEqual([400, { error: expect.stringMatching(new RegExp(`^${field}: `)) }]);
  };

  it.each(['Password1', 'qwertyuiop', 'P@ssw0rd!'])('cannot be set anywhere: %s', async (password) => {
    refusal('password', await post('register', { email: 'weak@example.com', password }));
    const { token, accountId, email } = await register();
    refusal('new_password', await change(token, { current_password: PASSWORD, new_password: password }));
    const resetToken = await tokenFor(accountId, email, 'reset_password');
    refusal('password', await post('password/reset', { token: resetToken, password }));
    expect((await post('password/reset', { token: resetToken, password: NEW_PASSWORD })).status).toBe(202);
  });

  it('cannot be a name of the account', async () => {
    const names = { phone: '+14155559876', username: 'shopkeeper' };
    const [email, localPart] = ['Somebody.Special@example.com', 'somebody.special'];
    for (const password of [email, `${localPart}1`, names.username, names.phone])
      refusal('password', await post('register', { ...names, email, password }));
    const { token, user } = (await post('register', { ...names, email, password: PASSWORD })).body as {
      token: string;
      user: { id: string; email: string };
    };
    for (const password of [email, localPart, 'Shopkeeper!']) {
      refusal('new_password', await change(token, { current_password: PASSWORD, new_password: password }));
      const resetToken = await tokenFor(user.id, user.email, 'reset_password');
      refusal('password', await post('password/reset', { token: resetToken, password }));
    }
  });

  it('still signs in if it was set before', async () => {
    const { email, accountId } = await register();
    await site.database.pool.query('UPDATE accounts.accounts SET password_hash = $2 WHERE id = $1', [
      accountId,
      await hashPassword('password'),
    ]);
    expect((await login(email, 'password')).status).toBe(200);
  });
});

it.each(['admin', 'Root', 'sup.port', 'Admin_1'])('no account gets the username %s', async (username) => {
  const answer = await post('register', { email: 'name@example.com', password: PASSWORD, username });
  expect([answer.status, answer.body]).toEqual([400, { error: 'username: is reserved; choose another one' }]);
});
