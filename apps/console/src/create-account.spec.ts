import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestSite } from './console.fixture';

const SCRIPT = join(__dirname, '../../../dist/apps/console/src/create-account.js');
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
    // A command that refuses its arguments ends before it reads.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exit, out, err };
  }
  const login = (identifier: string, password: string) =>
    site.console.request('POST', '/api/auth/login', { json: { identifier, password } });

  it('makes an account that can sign in, and its wallet', async () => {
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

  it('may be run again: the password stays, the role is set', async () => {
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

  it('raises no account that somebody else may have registered, unless it is told that it is meant', async () => {
    const json = { email: 'operator@example.com', password: 'of somebody else' };
    const { token } = (await site.console.request('POST', '/api/auth/register', { json })).body as {
      token: string;
    };
    const role = async () => (await site.console.request('GET', '/api/auth/me', { token })).body;
    const args = ['--email', 'operator@example.com', '--role', 'admin'];
    expect(await run(args)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--existing') });
    expect(await role()).toMatchObject({ role: 'user' });
    expect(await run([...args, '--existing'])).toMatchObject({ code: 0 });
    expect(await role()).toMatchObject({ role: 'admin' });
  });

  it('names every fault at once, and makes nothing', async () => {
    const { code, err } = await run(['--email', 'nobody', '--role', 'king'], 'short');
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([
      '--email must be an e-mail address',
      '--role must be user, analyst or admin',
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

  it('fails when the database is away', async () => {
    const args = ['--email', 'a@example.com', '--role', 'user'];
    expect(await run(args, PASSWORD, { DATABASE_URL: 'postgres://console@127.0.0.1:1/x' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
