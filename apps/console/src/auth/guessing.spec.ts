import { TestSite } from '../console.fixture';
import { createMailToken } from '../mail/mail-tokens';
import { challenge, FrozenClock, type Secured, securedAccount } from '../two-factor/two-factor.fixture';

/** Wrong guesses at an account before delays begin (see GuessDesk). */
const FREE = 10;
const NEW_PASSWORD = 'staple of another horse';

let site: TestSite;
let clock: FrozenClock;
let addresses = 0;

beforeAll(async () => {
  clock = new FrozenClock();
  site = await TestSite.start({ TRUST_PROXY: 'loopback', RATE_LIMIT_MULTIPLIER: '1' });
});
afterAll(async () => {
  clock.thaw();
  await site.stop();
});

/** Each request comes from an address of its own, so that only what is guessed at is counted. */
function ask(method: string, path: string, json: unknown, token?: string) {
  const headers = { 'X-Forwarded-For': `198.51.100.${++addresses % 250}` };
  return site.console.request(method, path, { json, headers, ...(token === undefined ? {} : { token }) });
}

/** Of as many guesses as are free, and one more, for which no machine is slow enough. */
async function statusesOf(guess: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < FREE; n++) statuses.push((await guess()).status);
  await site.database.pool.query("UPDATE accounts.guesses SET retry_at = retry_at + interval '1 hour'");
  return [...statuses, (await guess()).status];
}
const limited = (status: number) => [...Array<number>(FREE).fill(status), 429];

const guesses: [what: string, refusal: number, guess: (account: Secured) => Promise<{ status: number }>][] = [
  [
    'a password at sign-in',
    401,
    ({ email }) => ask('POST', '/api/auth/login', { identifier: email, password: 'a guess' }),
  ],
  [
    'a password in a session',
    403,
    ({ token }) =>
      ask('PUT', '/api/auth/password', { current_password: 'a guess', new_password: NEW_PASSWORD }, token),
  ],
  [
    'a second factor at sign-in',
    401,
    async ({ accountId, authenticator }) =>
      ask('POST', '/api/auth/2fa/verify', {
        challenge_id: await challenge(site, accountId),
        code: authenticator.wrongCode(),
      }),
  ],
  [
    'a second factor in a session',
    403,
    ({ token, password, authenticator }) =>
      ask('POST', '/api/auth/2fa/disable', { password, code: authenticator.wrongCode() }, token),
  ],
];

describe('guessing', () => {
  it.each(guesses)('%s has to wait after ten wrong ones', async (_what, refusal, guess) => {
    const account = await securedAccount(site, clock);
    expect(await statusesOf(() => guess(account))).toEqual(limited(refusal));
  });

  it('by strangers is forgotten when the owner resets the password', async () => {
    const { accountId, email } = await securedAccount(site, clock);
    const login = (password: string) => ask('POST', '/api/auth/login', { identifier: email, password });
    expect(await statusesOf(() => login('a guess'))).toEqual(limited(401));
    const order = { accountId, email, purpose: 'reset_password' } as const;
    const token = await createMailToken(site.database.pool, order);
    const reset = await ask('POST', '/api/auth/password/reset', { token, password: NEW_PASSWORD });
    expect(reset.status).toBe(202);
    expect((await login(NEW_PASSWORD)).status).toBe(200);
  });
});
