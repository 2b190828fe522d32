import { waitForLock } from '@inference/testing';
import { readForSignIn } from '../../accounts/accounts.repository';
import { type Answer, ENCRYPTION_KEY, TestConsole, TestSite } from '../../testing/console.fixture';
import { SignInService } from '../sign-in/sign-in.service';
import { challenge, eventTypes, FrozenClock, securedAccount, verify } from './two-factor.fixture';

let site: TestSite;
let clock: FrozenClock;

beforeAll(async () => {
  clock = new FrozenClock();
  site = await TestSite.start();
});
afterAll(async () => {
  clock.thaw();
  await site.stop();
});

const post = (path: string, token: string, json: unknown) =>
  site.console.request('POST', `/api/auth/2fa/${path}`, { token, json });

describe('recovery codes', () => {
  it('work once each in any spelling, and are stored as hashes', async () => {
    const { accountId, recoveryCodes } = await securedAccount(site, clock);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [first = '', second = ''] = recoveryCodes;
    expect(first).toMatch(/^([2-9a-z]{4}-){3}[2-9a-z]{4}$/);
    expect((await verify(site, await challenge(site, accountId), first)).status).toBe(200);
    expect((await verify(site, await challenge(site, accountId), first)).status).toBe(401);
    const spelled = ` ${second.toUpperCase().replaceAll('-', ' ')} `;
    expect((await verify(site, await challenge(site, accountId), spelled)).status).toBe(200);
    const { rows } = await site.database.pool.query<{ row: string }>(
      'SELECT c::text AS row FROM accounts.recovery_codes c',
    );
    expect(rows.filter(({ row }) => recoveryCodes.some((code) => row.includes(code)))).toEqual([]);
  });

  it('are replaced if the password and a code are given', async () => {
    const { accountId, token, authenticator, password, recoveryCodes } = await securedAccount(site, clock);
    for (const [json, status] of [
      [{ code: authenticator.code() }, 400],
      [{ password: 'wrong password', code: authenticator.code() }, 403],
      [{ password, code: authenticator.wrongCode() }, 403],
    ] as const)
      expect((await post('recovery-codes', token, json)).status).toBe(status);
    const answer = await post('recovery-codes', token, { password, code: authenticator.code() });
    expect(answer.status).toBe(200);
    const { recovery_codes: fresh } = answer.body as { recovery_codes: string[] };
    expect((await verify(site, await challenge(site, accountId), recoveryCodes[0]!)).status).toBe(401);
    expect((await verify(site, await challenge(site, accountId), fresh[0]!)).status).toBe(200);
    expect(await eventTypes(site, accountId)).toEqual(
      expect.arrayContaining(['password.failed', 'second_factor.failed', 'recovery_codes.replaced']),
    );
  });
});

describe('50 concurrent requests', () => {
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
  const ONE_OPENED = [200, ...Array<number>(49).fill(401)];
  const sessionsOf = async (accountId: string) => {
    const { rows } = await site.database.pool.query(
      "SELECT FROM accounts.security_events WHERE account_id = $1 AND type = 'session.opened' AND details ? 'second_factor'",
      [accountId],
    );
    return rows.length;
  };
  const fifty = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 50 }, make));

  it('open one session with one code for 50 challenges', async () => {
    const { accountId, authenticator } = await securedAccount(site, clock);
    const challenges = await fifty(() => challenge(site, accountId));
    const code = authenticator.code();
    const answers = await Promise.all(challenges.map((id) => verify(site, id, code)));
    expect(statuses(answers)).toEqual(ONE_OPENED);
    expect(await sessionsOf(accountId)).toBe(1);
  });

  it('open one session with one recovery code', async () => {
    const { accountId, recoveryCodes } = await securedAccount(site, clock);
    const challenges = await fifty(() => challenge(site, accountId));
    const answers = await Promise.all(challenges.map((id) => verify(site, id, recoveryCodes[0]!)));
    expect(statuses(answers)).toEqual(ONE_OPENED);
    expect(await sessionsOf(accountId)).toBe(1);
  });

  it('open one session with one challenge and any right codes', async () => {
    const { accountId, authenticator, recoveryCodes } = await securedAccount(site, clock);
    const id = await challenge(site, accountId);
    const codes = [authenticator.code(), authenticator.code(1), ...recoveryCodes];
    let n = 0;
    const answers = await fifty(() => verify(site, id, codes[n++ % codes.length]!));
    expect(statuses(answers)).toEqual(ONE_OPENED);
    expect(await sessionsOf(accountId)).toBe(1);
  });
});

describe('a sign-in that began before the credentials changed', () => {
  const ORIGIN = { address: null, userAgent: null };
  const CHANGED = 'UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1';

  it('opens no session and records none', async () => {
    const { accountId } = await site.signedIn();
    const stale = await readForSignIn(site.database.pool, accountId);
    await site.database.pool.query(CHANGED, [accountId]);
    const begun = site.console.app.get(SignInService).begin(stale!, 'password', ORIGIN);
    await expect(begun).rejects.toMatchObject({ status: 401 });
    const { rowCount } = await site.database.pool.query(
      "SELECT FROM accounts.security_events WHERE account_id = $1 AND type = 'session.opened'",
      [accountId],
    );
    expect(rowCount).toBe(0);
  });

  it('waits for a change of the credentials that is under way', async () => {
    const { accountId } = await site.signedIn();
    const stale = await readForSignIn(site.database.pool, accountId);
    const changing = await site.database.pool.connect();
    await changing.query('BEGIN');
    await changing.query(CHANGED, [accountId]);
    const begun = site.console.app.get(SignInService).begin(stale!, 'password', ORIGIN);
    const outcome = begun.then(
      () => 'opened',
      (error: { status: number }) => error.status,
    );
    await waitForLock(site.database.pool);
    await changing.query('COMMIT');
    changing.release();
    expect(await outcome).toBe(401);
  });
});

describe('the encryption key', () => {
  it('can be replaced while the old key still decrypts; recovery codes work without it', async () => {
    const { accountId, authenticator, recoveryCodes } = await securedAccount(site, clock);
    const url = site.database.urlFor('console');
    const fresh = '0123456789abcdef'.repeat(4);
    const both = await TestConsole.start(url, { ENCRYPTION_KEYS: `${fresh},${ENCRYPTION_KEY}` });
    const id = await challenge(site, accountId);
    const json = { challenge_id: id, code: authenticator.code() };
    const answer = await both.request('POST', '/api/auth/2fa/verify', { json });
    await both.close();
    expect(answer.status).toBe(200);
    const without = await TestConsole.start(url, { ENCRYPTION_KEYS: fresh });
    clock.tick();
    const attempt = async (code: string) =>
      (
        await without.request('POST', '/api/auth/2fa/verify', {
          json: { challenge_id: await challenge(site, accountId), code },
        })
      ).status;
    expect(await attempt(authenticator.code())).toBe(500);
    expect(await attempt(recoveryCodes[0]!)).toBe(200);
    await without.close();
  });
});
