import { TestSite } from '../../testing/console.fixture';
import { createMailToken } from '../../notifications/mail/mail-tokens';
import { challenge, FrozenClock, type Secured, securedAccount } from '../second-factor/two-factor.fixture';

/** Failures at an account before delays begin (see LoginThrottle). */
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

/** Each request has another address, so that only the counts of the account matter. */
function send(method: string, path: string, json: unknown, token?: string) {
  const headers = { 'X-Forwarded-For': `198.51.100.${++addresses % 250}` };
  return site.console.request(method, path, { json, headers, ...(token === undefined ? {} : { token }) });
}

/** Statuses of all free attempts and of one more. The delay is lengthened, so that it does not end on a slow machine. */
async function statusesOf(attempt: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < FREE; n++) statuses.push((await attempt()).status);
  await site.database.pool.query(
    "UPDATE accounts.login_attempts SET retry_at = retry_at + interval '1 hour'",
  );
  return [...statuses, (await attempt()).status];
}
const throttled = (status: number) => [...Array<number>(FREE).fill(status), 429];

const wrongAttempts: [
  what: string,
  refusal: number,
  attempt: (account: Secured) => Promise<{ status: number }>,
][] = [
  [
    'a wrong password at sign-in',
    401,
    ({ email }) => send('POST', '/api/auth/login', { identifier: email, password: 'wrong password' }),
  ],
  [
    'a wrong password in a session',
    403,
    ({ token }) =>
      send(
        'PUT',
        '/api/auth/password',
        { current_password: 'wrong password', new_password: NEW_PASSWORD },
        token,
      ),
  ],
  [
    'a wrong second factor at sign-in',
    401,
    async ({ accountId, authenticator }) =>
      send('POST', '/api/auth/2fa/verify', {
        challenge_id: await challenge(site, accountId),
        code: authenticator.wrongCode(),
      }),
  ],
  [
    'a wrong second factor in a session',
    403,
    ({ token, password, authenticator }) =>
      send('POST', '/api/auth/2fa/disable', { password, code: authenticator.wrongCode() }, token),
  ],
];

describe('login attempts', () => {
  it.each(wrongAttempts)('with %s are refused after ten failures', async (_what, refusal, attempt) => {
    const account = await securedAccount(site, clock);
    expect(await statusesOf(() => attempt(account))).toEqual(throttled(refusal));
  });

  it('from unknown networks are forgotten when the owner resets the password', async () => {
    const { accountId, email } = await securedAccount(site, clock);
    const login = (password: string) => send('POST', '/api/auth/login', { identifier: email, password });
    expect(await statusesOf(() => login('wrong password'))).toEqual(throttled(401));
    const newToken = { accountId, email, purpose: 'reset_password' } as const;
    const token = await createMailToken(site.database.pool, newToken);
    const reset = await send('POST', '/api/auth/password/reset', { token, password: NEW_PASSWORD });
    expect(reset.status).toBe(202);
    expect((await login(NEW_PASSWORD)).status).toBe(200);
  });
});
