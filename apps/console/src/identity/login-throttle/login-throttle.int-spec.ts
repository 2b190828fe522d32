import { type Answer, TestConsole } from '../../testing/console.fixture';
import { ENVIRONMENT, FREE_PER_ACCOUNT, newAddress, PASSWORD, ThrottledSite } from './login-throttle.fixture';
import { LoginThrottle } from './login-throttle.service';

let throttled: ThrottledSite;

beforeAll(async () => (throttled = await ThrottledSite.start()));
afterAll(() => throttled.stop());

const limitHeaders = ({ headers }: Answer) =>
  ['retry-after', 'ratelimit-reset', 'ratelimit-limit', 'ratelimit-remaining'].map((name) =>
    Number(headers.get(name)),
  );

describe('login attempts at one account', () => {
  it('are refused after ten failures, from any address', async () => {
    const { accountId, email } = await throttled.newOwner();
    expect(await throttled.failedLogins(FREE_PER_ACCOUNT, email)).toEqual(Array(FREE_PER_ACCOUNT).fill(401));
    await throttled.block(`password ${accountId} unknown_networks`);
    const refused = await throttled.login(email, PASSWORD);
    expect([refused.status, refused.body]).toEqual([429, { error: 'too many attempts, try again later' }]);
    const [retryAfter, reset, limit, remaining] = limitHeaders(refused);
    expect(retryAfter).toBeGreaterThan(500);
    expect([reset, limit, remaining]).toEqual([retryAfter, FREE_PER_ACCOUNT, 0]);
  });

  it('are counted together for every identifier and spelling of the account', async () => {
    const { accountId, email } = await throttled.newOwner();
    const names = { phone: '+14155550123', username: 'victim' };
    await throttled.site.database.pool.query(
      'UPDATE accounts.accounts SET phone = $2, username = $3 WHERE id = $1',
      [accountId, names.phone, names.username],
    );
    const spellings = [email, ` ${email.toUpperCase()}`, 'Victim', '+14155550123', '+1 (415) 555-0123'];
    for (const spelling of spellings)
      expect((await throttled.login(spelling, 'wrong password')).status).toBe(401);
    expect(await throttled.subjects(`password ${accountId}%`)).toEqual([
      { subject: `password ${accountId} unknown_networks`, failures: spellings.length },
    ]);
  });

  it('are all counted when they are concurrent', async () => {
    const { accountId, email } = await throttled.newOwner();
    const startedAt = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => throttled.login(email, 'wrong password')),
    );
    const delaysElapsed = Math.floor(Math.log2((performance.now() - startedAt) / 1000 + 1));
    const checked = responses.filter(({ status }) => status === 401).length;
    expect(responses.filter(({ status }) => status === 429).length).toBe(60 - checked);
    expect(checked).toBeGreaterThanOrEqual(FREE_PER_ACCOUNT);
    expect(checked).toBeLessThanOrEqual(FREE_PER_ACCOUNT + delaysElapsed);
    expect((await throttled.subjects(`password ${accountId}%`))[0]!.failures).toBe(checked);
  });

  it('do not lock the owner out on a network where the owner has signed in', async () => {
    const { accountId, email } = await throttled.newOwner();
    const homeAddress = newAddress();
    expect((await throttled.login(email, PASSWORD, homeAddress)).status).toBe(200);
    await throttled.failedLogins(FREE_PER_ACCOUNT, email);
    await throttled.block(`password ${accountId} unknown_networks`);
    expect((await throttled.login(email, PASSWORD)).status).toBe(429);
    expect((await throttled.login(email, PASSWORD, homeAddress)).status).toBe(200);
    // Failures on that network are counted for that network only.
    await throttled.failedLogins(FREE_PER_ACCOUNT, email, homeAddress);
    await throttled.block(`password ${accountId} ${homeAddress}`);
    expect((await throttled.login(email, PASSWORD, homeAddress)).status).toBe(429);
  });

  it('treat all addresses of an IPv6 network as one', async () => {
    const { accountId, email } = await throttled.newOwner();
    expect((await throttled.login(email, PASSWORD, '2001:db8:7:7::1')).status).toBe(200);
    await throttled.failedLogins(FREE_PER_ACCOUNT, email);
    await throttled.block(`password ${accountId} unknown_networks`);
    expect((await throttled.login(email, PASSWORD, '2001:db8:7:7:aaaa::2')).status).toBe(200);
    expect((await throttled.login(email, PASSWORD, '2001:db8:7:8::1')).status).toBe(429);
  });

  it('do not lock the owner out on a network where the password was reset by mail', async () => {
    const { accountId, email } = await throttled.newOwner();
    await throttled.failedLogins(FREE_PER_ACCOUNT, email);
    await throttled.block(`password ${accountId} unknown_networks`);
    const otherAddress = newAddress();
    await throttled.site.database.pool.query(
      `INSERT INTO accounts.security_events (id, account_id, type, address)
       VALUES ('evt_reset', $1, 'password.reset', $2)`,
      [accountId, otherAddress],
    );
    expect((await throttled.login(email, PASSWORD, otherAddress)).status).toBe(200);
    expect((await throttled.login(email, PASSWORD)).status).toBe(429);
    await throttled.site.console.app
      .get(LoginThrottle)
      .resetUnknownNetworks(throttled.site.database.pool, accountId);
    expect((await throttled.login(email, PASSWORD)).status).toBe(200);
  });

  it('count a network as unknown after a month without a sign-in', async () => {
    const { accountId, email } = await throttled.newOwner();
    const homeAddress = newAddress();
    await throttled.login(email, PASSWORD, homeAddress);
    await throttled.site.database.pool.query(
      `UPDATE accounts.security_events SET created_at = now() - interval '31 days' WHERE account_id = $1`,
      [accountId],
    );
    await throttled.failedLogins(1, email, homeAddress);
    expect(await throttled.subjects(`password ${accountId}%`)).toEqual([
      { subject: `password ${accountId} unknown_networks`, failures: 1 },
    ]);
  });

  it('let the owner in from any network after Retry-After, and forget the failures then', async () => {
    const { accountId, email } = await throttled.newOwner();
    await throttled.failedLogins(FREE_PER_ACCOUNT, email);
    await throttled.block(`password ${accountId} unknown_networks`);
    const refused = await throttled.login(email, PASSWORD);
    await throttled.passTime(Number(refused.headers.get('retry-after')));
    expect((await throttled.login(email, PASSWORD)).status).toBe(200);
    expect(await throttled.subjects(`password ${accountId}%`)).toEqual([]);
  });

  it('are shared by all consoles and kept across restarts', async () => {
    const { accountId, email } = await throttled.newOwner();
    await throttled.failedLogins(FREE_PER_ACCOUNT, email);
    await throttled.block(`password ${accountId} unknown_networks`);
    const other = await TestConsole.start(throttled.site.database.urlFor('console'), ENVIRONMENT);
    expect((await throttled.login(email, PASSWORD, newAddress(), other)).status).toBe(429);
    await other.close();
  });

  it('keep the failures of the second factor after a right password', async () => {
    const { accountId, email } = await throttled.newOwner();
    await throttled.site.console.app
      .get(LoginThrottle)
      .admit({ kind: 'second_factor', accountId, address: newAddress() });
    expect((await throttled.login(email, PASSWORD)).status).toBe(200);
    expect(await throttled.subjects(`%${accountId}%`)).toEqual([
      { subject: `second_factor ${accountId} unknown_networks`, failures: 1 },
    ]);
  });
});

describe('login attempts at an unknown identifier', () => {
  it('are counted and refused like those at an account', async () => {
    const [{ accountId, email }, unknownEmail] = [await throttled.newOwner(), 'nobody@example.com'];
    const both = async () => {
      const responses = [
        await throttled.login(email, 'wrong password'),
        await throttled.login(unknownEmail, 'wrong password'),
      ];
      expect(responses[0]!.status).toBe(responses[1]!.status);
      expect(responses[0]!.body).toEqual(responses[1]!.body);
      return responses;
    };
    for (let n = 0; n < FREE_PER_ACCOUNT; n++) await both();
    const [unknown] = await throttled.subjects('password ?%');
    expect(unknown).toEqual({
      subject: expect.stringMatching(/^password \?[0-9a-f]{64} unknown_networks$/),
      failures: FREE_PER_ACCOUNT,
    });
    await throttled.block(`password ${accountId} unknown_networks`);
    await throttled.block(unknown!.subject);
    const [known, other] = await both();
    expect(known!.status).toBe(429);
    expect(limitHeaders(known!).slice(2)).toEqual(limitHeaders(other!).slice(2));
    expect((await throttled.login('somebody.else@example.com', 'wrong password')).status).toBe(401);
  });
});
