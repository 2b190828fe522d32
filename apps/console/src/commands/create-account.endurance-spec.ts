import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestSite } from '../testing/console.fixture';

const SCRIPT = join(__dirname, '../../../../dist/apps/console/src/commands/create-account.js');
const PASSWORD = 'correct horse battery';

describe('create-account', () => {
  let site: TestSite;

  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());

  async function run(args: string[], input = PASSWORD, environment: Record<string, string> = {}) {
    const child = spawn(process.execPath, [SCRIPT, ...args], {
      env: {
        PATH: process.env.PATH,
        SITE: 'intl',
        DATABASE_URL: site.database.urlFor('console'),
        ...environment,
      },
    });
    // A command that refuses its arguments exits before it reads its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exit, out, err };
  }
  const login = (identifier: string, password: string) =>
    site.console.request('POST', '/api/auth/login', { json: { identifier, password } });

  it('makes an account that can sign in, with its wallet', async () => {
    const made = await run(['--email', 'Root@Example.com', '--role', 'admin'], `${PASSWORD}\n`);
    expect(made).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Made root@example.com') });
    const { token } = (await login('root@example.com', PASSWORD)).body as { token: string };
    expect((await site.console.request('GET', '/api/auth/me', { token })).body).toMatchObject({
      role: 'admin',
    });
    expect((await site.console.request('GET', '/api/billing/settings', { token })).body).toMatchObject({
      balance: 0,
    });
  });

  it('can be repeated: it keeps the password and sets the role', async () => {
    await run(['--email', 'again@example.com', '--role', 'user']);
    const same = await run(['--email', 'AGAIN@example.com', '--role', 'user']);
    expect(same).toMatchObject({ code: 0, out: 'again@example.com exists already; its role is user.\n' });
    const promoted = await run(['--email', 'again@example.com', '--role', 'analyst']);
    expect(promoted).toMatchObject({
      code: 0,
      out: 'again@example.com exists already; its role is analyst.\n',
    });
    expect((await login('again@example.com', PASSWORD)).status).toBe(200);
    expect((await login('again@example.com', 'another password')).status).toBe(401);
  });

  it('gives no role to an account with another password without --existing', async () => {
    const json = { email: 'operator@example.com', password: 'of somebody else' };
    const { token } = (await site.console.request('POST', '/api/auth/register', { json })).body as {
      token: string;
    };
    const role = async () => (await site.console.request('GET', '/api/auth/me', { token })).body;
    const args = ['--email', 'operator@example.com', '--role', 'admin'];
    expect(await run(args)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--existing') });
    expect(await role()).toMatchObject({ role: 'user' });
    expect(await run([...args, '--existing'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('an address that nobody has confirmed'),
    });
    expect(await role()).toMatchObject({ role: 'user' });
    await site.database.pool.query(
      "UPDATE accounts.accounts SET email_verified_at = now() WHERE email = 'operator@example.com'",
    );
    expect(await run([...args, '--existing'])).toMatchObject({ code: 0 });
    expect(await role()).toMatchObject({ role: 'admin' });
  });

  it('refuses a password that is guessed first', async () => {
    const args = ['--email', 'careful@example.com', '--role', 'user'];
    for (const [password, fault] of [
      ['Password1', 'is too common'],
      ['careful@example.com', 'must not be the e-mail address'],
    ] as const)
      expect(await run(args, password)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`the password (on standard input) ${fault}`),
      });
  });

  it('tells all admins of a new one', async () => {
    const announced = async () => {
      const { rows } = await site.database.pool.query<{ to: string; admin: object }>(
        `SELECT a.email AS to, m.params->'admin' AS admin FROM accounts.mail_outbox m
         JOIN accounts.accounts a ON a.id = m.account_id WHERE m.kind = 'admin_appointed'`,
      );
      return rows.map(({ to, admin }) => JSON.stringify([to, admin]));
    };
    await run(['--email', 'first-admin@example.com', '--role', 'admin']);
    const before = await announced();
    await run(['--email', 'second-admin@example.com', '--role', 'admin']);
    const added = (await announced()).filter((one) => !before.includes(one));
    const admin = { email: 'second-admin@example.com', appointedBy: null };
    expect(added).toEqual(
      expect.arrayContaining(
        ['first-admin@example.com', admin.email].map((to) => JSON.stringify([to, admin])),
      ),
    );
  });

  it('names every fault at once and makes nothing', async () => {
    const { code, err } = await run(['--email', 'nobody', '--role', 'king'], 'short');
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([
      '--email must be an e-mail address',
      '--role must be one of user, admin, operator, finance, support, analyst',
      'the password (on standard input) must have at least 8 characters',
    ]);
    expect(await run([], '')).toMatchObject({ code: 1 });
    expect(await run(['--passwords', 'x'])).toMatchObject({ code: 1 });
    expect(
      await run(['--email', 'a@example.com', '--role', 'user'], PASSWORD, { SITE: '', DATABASE_URL: 'x' }),
    ).toMatchObject({
      code: 1,
      err: expect.stringMatching(/SITE: is missing[\s\S]*DATABASE_URL: must be a URL/),
    });
  });

  it('fails if the database cannot be reached', async () => {
    const args = ['--email', 'a@example.com', '--role', 'user'];
    expect(await run(args, PASSWORD, { DATABASE_URL: 'postgres://console@127.0.0.1:1/x' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
