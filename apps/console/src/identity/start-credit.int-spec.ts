import { createMailToken } from '../notifications/mail/mail-tokens';
import { type TestConsole } from '../testing/console.fixture';
import { type OAuthClient, OAuthSite } from './oauth/oauth.fixture';

const PASSWORD = 'correct horse battery';

interface Registered {
  email: string;
  accountId: string;
  token: string;
}

let all: OAuthSite;
/** Gives 5.25 to new accounts. */
let generous: { console: TestConsole; client: OAuthClient };
let registered = 0;

beforeAll(async () => {
  all = await OAuthSite.start();
  generous = await all.another({ START_CREDIT: '5.25' });
});
afterAll(async () => {
  await generous?.console.close();
  await all?.stop();
});

async function register(at = generous.console): Promise<Registered> {
  const email = `person${++registered}@example.com`;
  const json = { email, password: PASSWORD };
  const { body } = await at.request('POST', '/api/auth/register', { json });
  const { token, user } = body as { token: string; user: { id: string } };
  return { email, accountId: user.id, token };
}

/** The transactions of an account, and its balance. */
async function walletOf(token: string): Promise<[transactions: unknown, balance: number]> {
  const read = async (path: string) => (await generous.console.request('GET', path, { token })).body;
  const { transactions } = (await read('/api/billing/transactions')) as { transactions: unknown };
  const { balance } = (await read('/api/billing/settings')) as { balance: number };
  return [transactions, balance];
}

const mailToken = ({ accountId, email }: Registered, purpose: 'reset_password' | 'verify_email') =>
  createMailToken(all.site.database.pool, { accountId, purpose, email });

async function verify(account: Registered, at = generous.console): Promise<number> {
  const json = { token: await mailToken(account, 'verify_email'), password: PASSWORD };
  return (await at.request('POST', '/api/auth/email/verify', { json })).status;
}

async function reset(account: Registered, at = generous.console): Promise<number> {
  const json = { token: await mailToken(account, 'reset_password'), password: `${PASSWORD} again` };
  return (await at.request('POST', '/api/auth/password/reset', { json })).status;
}

async function signIn({ email }: Registered): Promise<string> {
  const json = { identifier: email, password: `${PASSWORD} again` };
  const { body } = await generous.console.request('POST', '/api/auth/login', { json });
  return (body as { token: string }).token;
}

const CREDIT = [
  expect.objectContaining({ type: 'adjustment', amount: 5.25, currency: 'USD', description: 'Start credit' }),
];

describe('the start credit', () => {
  it('is given when the address is confirmed by mail, and not before', async () => {
    const account = await register();
    expect(await walletOf(account.token)).toEqual([[], 0]);
    expect(await verify(account)).toBe(202);
    expect(await walletOf(account.token)).toEqual([CREDIT, 5.25]);
  });

  it('is given to an account that registered before the site gave one and confirms its address later', async () => {
    const account = await register(all.site.console);
    expect(await verify(account)).toBe(202);
    expect(await walletOf(account.token)).toEqual([CREDIT, 5.25]);
  });

  it('is given when a reset of the password confirms the address', async () => {
    const account = await register();
    expect(await reset(account)).toBe(202);
    expect(await walletOf(await signIn(account))).toEqual([CREDIT, 5.25]);
  });

  it('is given to an account that a provider vouches for', async () => {
    const answer = await generous.client.signIn(all.alpha, 'alpha', { email: 'new@example.com' });
    const { token } = answer.body as { token: string };
    expect(await walletOf(token)).toEqual([CREDIT, 5.25]);
    await generous.client.signIn(all.alpha, 'alpha', { email: 'new@example.com' });
    expect((await walletOf(token))[1]).toBe(5.25);
  });

  it('is given once, however the address is confirmed at the same time and again', async () => {
    const account = await register();
    const tokens = await Promise.all([1, 2, 3, 4].map(() => mailToken(account, 'verify_email')));
    await Promise.all(
      tokens.map((token) =>
        generous.console.request('POST', '/api/auth/email/verify', { json: { token, password: PASSWORD } }),
      ),
    );
    await reset(account);
    await all.site.database.pool.query(
      'UPDATE accounts.accounts SET email_verified_at = NULL WHERE id = $1',
      [account.accountId],
    );
    await reset(account);
    expect(await walletOf(await signIn(account))).toEqual([CREDIT, 5.25]);
  });

  it('is not given to accounts whose address was confirmed without one', async () => {
    const account = await register();
    expect(await verify(account, all.site.console)).toBe(202);
    expect(await reset(account)).toBe(202);
    expect(await walletOf(await signIn(account))).toEqual([[], 0]);
  });
});
