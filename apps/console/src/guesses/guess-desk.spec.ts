import { insertAccount, waitFor } from '@inference/testing';
import { hashPassword } from '../auth/password-hasher';
import { type Answer, TestConsole, TestSite } from '../console.fixture';
import { GuessDesk } from './guess-desk';

const PASSWORD = 'correct horse battery';
const FREE_OF_ACCOUNT = 10;
const FREE_OF_ADDRESS = 30;
const ENVIRONMENT = { TRUST_PROXY: 'loopback', RATE_LIMIT_MULTIPLIER: '1' };

let site: TestSite;
let passwordHash: string;
let addresses = 0;

beforeAll(async () => {
  site = await TestSite.start(ENVIRONMENT);
  passwordHash = await hashPassword(PASSWORD);
});
afterAll(() => site.stop());

const newAddress = () => `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;

async function newOwner(): Promise<{ accountId: string; email: string }> {
  const { pool } = site.database;
  const { accountId } = await insertAccount(pool);
  await pool.query('UPDATE accounts.accounts SET password_hash = $2 WHERE id = $1', [
    accountId,
    passwordHash,
  ]);
  return { accountId, email: `${accountId.toLowerCase()}@example.com` };
}

const login = (identifier: string, password: string, address = newAddress(), console = site.console) =>
  console.request('POST', '/api/auth/login', {
    json: { identifier, password },
    headers: { 'X-Forwarded-For': address },
  });

/** The statuses of guesses, one after another, each from another address unless told. */
async function guesses(count: number, identifier: string, address?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await login(identifier, 'a guess', address)).status);
  return statuses;
}

/** So long that no test sees it end by itself. */
const block = (subject: string) =>
  site.database.pool.query(
    `UPDATE accounts.guesses SET retry_at = clock_timestamp() + interval '10 minutes' WHERE subject = $1`,
    [subject],
  );

/** As if so much time had gone by for everybody. */
const passTime = (seconds: number) =>
  site.database.pool.query(
    `UPDATE accounts.guesses SET counted_at = counted_at - make_interval(secs => $1),
       retry_at = retry_at - make_interval(secs => $1), forgotten_at = forgotten_at - make_interval(secs => $1)`,
    [seconds],
  );

const subjects = async (pattern: string) => {
  const { rows } = await site.database.pool.query<{ subject: string; failures: number }>(
    'SELECT subject, ceil(failures)::float8 AS failures FROM accounts.guesses WHERE subject LIKE $1 ORDER BY subject',
    [pattern],
  );
  return rows;
};

const limitHeaders = ({ headers }: Answer) =>
  ['retry-after', 'ratelimit-reset', 'ratelimit-limit', 'ratelimit-remaining'].map((name) =>
    Number(headers.get(name)),
  );

describe('guesses at one account', () => {
  it('are refused after ten, from wherever they come', async () => {
    const { accountId, email } = await newOwner();
    expect(await guesses(FREE_OF_ACCOUNT, email)).toEqual(Array(FREE_OF_ACCOUNT).fill(401));
    await block(`password ${accountId} strangers`);
    const refused = await login(email, PASSWORD);
    expect([refused.status, refused.body]).toEqual([429, { error: 'too many attempts, try again later' }]);
    const [retryAfter, reset, limit, remaining] = limitHeaders(refused);
    expect(retryAfter).toBeGreaterThan(500);
    expect([reset, limit, remaining]).toEqual([retryAfter, FREE_OF_ACCOUNT, 0]);
  });

  it('are counted together, however the account is called', async () => {
    const { accountId, email } = await newOwner();
    const names = { phone: '+14155550123', username: 'victim' };
    await site.database.pool.query('UPDATE accounts.accounts SET phone = $2, username = $3 WHERE id = $1', [
      accountId,
      names.phone,
      names.username,
    ]);
    const spellings = [email, ` ${email.toUpperCase()}`, 'Victim', '+14155550123', '+1 (415) 555-0123'];
    for (const spelling of spellings) expect((await login(spelling, 'a guess')).status).toBe(401);
    expect(await subjects(`password ${accountId}%`)).toEqual([
      { subject: `password ${accountId} strangers`, failures: spellings.length },
    ]);
  });

  it('are all counted when they come at once', async () => {
    const { accountId, email } = await newOwner();
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => login(email, 'a guess')));
    const late = Math.floor(Math.log2((performance.now() - startedAt) / 1000 + 1));
    const looked = answers.filter(({ status }) => status === 401).length;
    expect(answers.filter(({ status }) => status === 429).length).toBe(60 - looked);
    expect(looked).toBeGreaterThanOrEqual(FREE_OF_ACCOUNT);
    expect(looked).toBeLessThanOrEqual(FREE_OF_ACCOUNT + late);
    expect((await subjects(`password ${accountId}%`))[0]!.failures).toBe(looked);
  });

  it('do not lock the owner out where the owner has signed in', async () => {
    const { accountId, email } = await newOwner();
    const home = newAddress();
    expect((await login(email, PASSWORD, home)).status).toBe(200);
    await guesses(FREE_OF_ACCOUNT, email);
    await block(`password ${accountId} strangers`);
    expect((await login(email, PASSWORD)).status).toBe(429);
    expect((await login(email, PASSWORD, home)).status).toBe(200);
    // There, too, guesses are counted, for that place only.
    await guesses(FREE_OF_ACCOUNT, email, home);
    await block(`password ${accountId} ${home}`);
    expect((await login(email, PASSWORD, home)).status).toBe(429);
  });

  it('know an IPv6 customer by the network, and count its addresses as one', async () => {
    const { accountId, email } = await newOwner();
    expect((await login(email, PASSWORD, '2001:db8:7:7::1')).status).toBe(200);
    await guesses(FREE_OF_ACCOUNT, email);
    await block(`password ${accountId} strangers`);
    expect((await login(email, PASSWORD, '2001:db8:7:7:aaaa::2')).status).toBe(200);
    expect((await login(email, PASSWORD, '2001:db8:7:8::1')).status).toBe(429);
  });

  it('lock the owner out no longer where the password was reset by mail', async () => {
    const { accountId, email } = await newOwner();
    await guesses(FREE_OF_ACCOUNT, email);
    await block(`password ${accountId} strangers`);
    const hotel = newAddress();
    await site.database.pool.query(
      `INSERT INTO accounts.security_events (id, account_id, type, address)
       VALUES ('evt_reset', $1, 'password.reset', $2)`,
      [accountId, hotel],
    );
    expect((await login(email, PASSWORD, hotel)).status).toBe(200);
    expect((await login(email, PASSWORD)).status).toBe(429);
    await site.console.app.get(GuessDesk).forget(site.database.pool, accountId);
    expect((await login(email, PASSWORD)).status).toBe(200);
  });

  it('make a place strange again that was not used for a month', async () => {
    const { accountId, email } = await newOwner();
    const home = newAddress();
    await login(email, PASSWORD, home);
    await site.database.pool.query(
      `UPDATE accounts.security_events SET created_at = now() - interval '31 days' WHERE account_id = $1`,
      [accountId],
    );
    await guesses(1, email, home);
    expect(await subjects(`password ${accountId}%`)).toEqual([
      { subject: `password ${accountId} strangers`, failures: 1 },
    ]);
  });

  it('let the owner in anywhere after the time that is asked for, and forgive it all then', async () => {
    const { accountId, email } = await newOwner();
    await guesses(FREE_OF_ACCOUNT, email);
    await block(`password ${accountId} strangers`);
    const refused = await login(email, PASSWORD);
    await passTime(Number(refused.headers.get('retry-after')));
    expect((await login(email, PASSWORD)).status).toBe(200);
    expect(await subjects(`password ${accountId}%`)).toEqual([]);
  });

  it('stay counted when a console starts again, and count at all of them', async () => {
    const { accountId, email } = await newOwner();
    await guesses(FREE_OF_ACCOUNT, email);
    await block(`password ${accountId} strangers`);
    const other = await TestConsole.start(site.database.urlFor('console'), ENVIRONMENT);
    expect((await login(email, PASSWORD, newAddress(), other)).status).toBe(429);
    await other.close();
  });

  it('forgive nothing that was guessed at its second factor', async () => {
    const { accountId, email } = await newOwner();
    await site.console.app.get(GuessDesk).admit({ kind: 'second_factor', accountId, address: newAddress() });
    expect((await login(email, PASSWORD)).status).toBe(200);
    expect(await subjects(`%${accountId}%`)).toEqual([
      { subject: `second_factor ${accountId} strangers`, failures: 1 },
    ]);
  });
});

describe('guesses at nobody', () => {
  it('are counted and refused as those at somebody', async () => {
    const [{ accountId, email }, stranger] = [await newOwner(), 'nobody@example.com'];
    const both = async () => {
      const answers = [await login(email, 'a guess'), await login(stranger, 'a guess')];
      expect(answers[0]!.status).toBe(answers[1]!.status);
      expect(answers[0]!.body).toEqual(answers[1]!.body);
      return answers;
    };
    for (let n = 0; n < FREE_OF_ACCOUNT; n++) await both();
    const [unknown] = await subjects('password ?%');
    expect(unknown).toEqual({
      subject: expect.stringMatching(/^password \?[0-9a-f]{64} strangers$/),
      failures: FREE_OF_ACCOUNT,
    });
    await block(`password ${accountId} strangers`);
    await block(unknown!.subject);
    const [known, other] = await both();
    expect(known!.status).toBe(429);
    expect(limitHeaders(known!).slice(2)).toEqual(limitHeaders(other!).slice(2));
    expect((await login('somebody.else@example.com', 'a guess')).status).toBe(401);
  });
});

describe('guesses from one address', () => {
  /** The limit of requests in a minute would come first. */
  let patient: TestConsole;
  const desk = () => patient.app.get(GuessDesk);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: { getStatus(): number }) => error.getStatus(),
    );

  beforeAll(async () => {
    patient = await TestConsole.start(site.database.urlFor('console'), ENVIRONMENT);
  });
  afterAll(() => patient.close());

  it('are refused after thirty, at however many accounts', async () => {
    const address = newAddress();
    const admit = (n: number, from = address) =>
      codeOf(desk().admit({ kind: 'password', accountId: null, identifier: `spray ${n}`, address: from }));
    for (let n = 0; n < FREE_OF_ADDRESS; n++) expect(await admit(n)).toBe(200);
    await block(`address ${address}`);
    expect(await admit(FREE_OF_ADDRESS)).toBe(429);
    expect(await admit(FREE_OF_ADDRESS, newAddress())).toBe(200);
    await passTime(600);
    expect(await admit(FREE_OF_ADDRESS)).toBe(200);
  });

  it('count both factors together', async () => {
    const address = newAddress();
    for (const kind of ['password', 'second_factor'] as const)
      await desk().admit({ kind, accountId: 'acct_any', address });
    expect(await subjects(`address ${address}`)).toEqual([{ subject: `address ${address}`, failures: 2 }]);
  });

  it('are not forgiven to whoever signs in to an account of their own', async () => {
    const { email } = await newOwner();
    const address = newAddress();
    await guesses(3, 'victim@example.com', address);
    for (let n = 0; n < 3; n++) expect((await login(email, PASSWORD, address)).status).toBe(200);
    expect(await subjects(`address ${address}`)).toEqual([{ subject: `address ${address}`, failures: 3 }]);
  });

  it('never add up from sign-ins that succeed', async () => {
    const { accountId } = await newOwner();
    const address = newAddress();
    const order = { kind: 'password', accountId, address } as const;
    for (let n = 0; n < 3 * FREE_OF_ADDRESS; n++) await (await desk().admit(order)).wasRight();
    const known = await subjects(`%${address}`);
    expect(known).toEqual([{ subject: `address ${address}`, failures: 0 }]);
    expect(await subjects(`%${accountId}%`)).toEqual([]);
  });

  it('are no business of anybody whose address is unknown', async () => {
    await desk().admit({ kind: 'password', accountId: 'acct_unaddressed', address: null });
    expect(await subjects('%unaddressed%')).toEqual([
      { subject: 'password acct_unaddressed strangers', failures: 1 },
    ]);
  });
});

describe('the multiplier', () => {
  it('scales what is free, at least to one, and how fast it is forgiven', async () => {
    const strict = await TestConsole.start(site.database.urlFor('console'), {
      ...ENVIRONMENT,
      RATE_LIMIT_MULTIPLIER: '0.01',
    });
    const order = { kind: 'password', accountId: 'acct_strict', address: null } as const;
    const desk = strict.app.get(GuessDesk);
    await desk.admit(order);
    await block('password acct_strict strangers');
    await expect(desk.admit(order)).rejects.toMatchObject({
      status: 429,
      headers: { 'RateLimit-Limit': '1' },
    });
    await passTime(2 * 900);
    await desk.admit(order);
    expect((await subjects('%acct_strict%'))[0]!.failures).toBe(2);
    await strict.close();
  });

  it('lets so many more be made at once', async () => {
    const lax = await TestConsole.start(site.database.urlFor('console'), {
      ...ENVIRONMENT,
      RATE_LIMIT_MULTIPLIER: '10',
    });
    const order = { kind: 'password', accountId: 'acct_lax', address: newAddress() } as const;
    const desk = lax.app.get(GuessDesk);
    await Promise.all(Array.from({ length: 10 * FREE_OF_ACCOUNT }, () => desk.admit(order)));
    await block('password acct_lax strangers');
    await expect(desk.admit(order)).rejects.toMatchObject({ headers: { 'RateLimit-Limit': '100' } });
    await lax.close();
  });
});

describe('old guesses', () => {
  it('are deleted every minute', async () => {
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const console = await TestConsole.start(site.database.urlFor('console'), ENVIRONMENT);
    const everyMinute = intervals.mock.calls.filter(([, millis]) => millis === 60_000);
    intervals.mockRestore();
    await console.app.get(GuessDesk).admit({ kind: 'password', accountId: 'acct_old', address: null });
    await passTime(901);
    for (const [sweep] of everyMinute) sweep();
    await waitFor(async () => (await subjects('%acct_old%')).length === 0);
    await console.close();
  });
});
