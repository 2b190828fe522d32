import { waitFor } from '@inference/testing';
import { TestConsole } from '../../testing/console.fixture';
import { ENVIRONMENT, FREE_PER_ACCOUNT, newAddress, PASSWORD, ThrottledSite } from './login-throttle.fixture';
import { LoginThrottle } from './login-throttle.service';

const FREE_PER_ADDRESS = 30;

let throttled: ThrottledSite;

beforeAll(async () => (throttled = await ThrottledSite.start()));
afterAll(() => throttled.stop());

describe('login attempts from one address', () => {
  /** Its throttle is called directly, because the rate limit of requests would be reached first. */
  let console: TestConsole;
  const throttle = () => console.app.get(LoginThrottle);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: { getStatus(): number }) => error.getStatus(),
    );

  beforeAll(async () => {
    console = await TestConsole.start(throttled.site.database.urlFor('console'), ENVIRONMENT);
  });
  afterAll(() => console.close());

  it('are refused after thirty failures, at any number of accounts', async () => {
    const address = newAddress();
    const admit = (n: number, from = address) =>
      codeOf(
        throttle().admit({ kind: 'password', accountId: null, identifier: `spray ${n}`, address: from }),
      );
    for (let n = 0; n < FREE_PER_ADDRESS; n++) expect(await admit(n)).toBe(200);
    await throttled.block(`address ${address}`);
    expect(await admit(FREE_PER_ADDRESS)).toBe(429);
    expect(await admit(FREE_PER_ADDRESS, newAddress())).toBe(200);
    await throttled.passTime(600);
    expect(await admit(FREE_PER_ADDRESS)).toBe(200);
  });

  it('count both factors together', async () => {
    const address = newAddress();
    for (const kind of ['password', 'second_factor'] as const)
      await throttle().admit({ kind, accountId: 'acct_any', address });
    expect(await throttled.subjects(`address ${address}`)).toEqual([
      { subject: `address ${address}`, failures: 2 },
    ]);
  });

  it('stay counted when the same address signs in to another account', async () => {
    const { email } = await throttled.newOwner();
    const address = newAddress();
    await throttled.failedLogins(3, 'victim@example.com', address);
    for (let n = 0; n < 3; n++) expect((await throttled.login(email, PASSWORD, address)).status).toBe(200);
    expect(await throttled.subjects(`address ${address}`)).toEqual([
      { subject: `address ${address}`, failures: 3 },
    ]);
  });

  it('are not counted when they succeed', async () => {
    const { accountId } = await throttled.newOwner();
    const address = newAddress();
    const attempt = { kind: 'password', accountId, address } as const;
    for (let n = 0; n < 3 * FREE_PER_ADDRESS; n++) await (await throttle().admit(attempt)).recordSuccess();
    const known = await throttled.subjects(`%${address}`);
    expect(known).toEqual([{ subject: `address ${address}`, failures: 0 }]);
    expect(await throttled.subjects(`%${accountId}%`)).toEqual([]);
  });

  it('are not counted for the address if it is unknown', async () => {
    await throttle().admit({ kind: 'password', accountId: 'acct_unaddressed', address: null });
    expect(await throttled.subjects('%unaddressed%')).toEqual([
      { subject: 'password acct_unaddressed unknown_networks', failures: 1 },
    ]);
  });
});

describe('the multiplier', () => {
  it('scales the free failures, to at least one, and the time after which one is forgiven', async () => {
    const strict = await TestConsole.start(throttled.site.database.urlFor('console'), {
      ...ENVIRONMENT,
      RATE_LIMIT_MULTIPLIER: '0.01',
    });
    const attempt = { kind: 'password', accountId: 'acct_strict', address: null } as const;
    const throttle = strict.app.get(LoginThrottle);
    await throttle.admit(attempt);
    await throttled.block('password acct_strict unknown_networks');
    await expect(throttle.admit(attempt)).rejects.toMatchObject({
      status: 429,
      headers: { 'RateLimit-Limit': '1' },
    });
    await throttled.passTime(2 * 900);
    await throttle.admit(attempt);
    expect((await throttled.subjects('%acct_strict%'))[0]!.failures).toBe(2);
    await strict.close();
  });

  it('scales the number of concurrent attempts', async () => {
    const lax = await TestConsole.start(throttled.site.database.urlFor('console'), {
      ...ENVIRONMENT,
      RATE_LIMIT_MULTIPLIER: '10',
    });
    const attempt = { kind: 'password', accountId: 'acct_lax', address: newAddress() } as const;
    const throttle = lax.app.get(LoginThrottle);
    await Promise.all(Array.from({ length: 10 * FREE_PER_ACCOUNT }, () => throttle.admit(attempt)));
    await throttled.block('password acct_lax unknown_networks');
    await expect(throttle.admit(attempt)).rejects.toMatchObject({ headers: { 'RateLimit-Limit': '100' } });
    await lax.close();
  });
});

describe('expired login attempts', () => {
  it('are deleted every minute', async () => {
    const { console, database } = throttled.site;
    await console.app.get(LoginThrottle).admit({ kind: 'password', accountId: 'acct_old', address: null });
    await throttled.passTime(901);
    const seconds = await waitFor(async () => {
      const { rows } = await database.pool.query<{ seconds: number }>(
        `UPDATE console_jobs._private_jobs j SET run_at = now() FROM console_jobs._private_jobs waiting
         WHERE j.key = 'delete-old-login-attempts' AND j.locked_at IS NULL AND waiting.id = j.id
         RETURNING extract(epoch FROM waiting.run_at - now())::float8 AS seconds`,
      );
      return rows[0]?.seconds;
    });
    expect(seconds).toBeLessThanOrEqual(60);
    await waitFor(async () => (await throttled.subjects('%acct_old%')).length === 0);
  });
});
