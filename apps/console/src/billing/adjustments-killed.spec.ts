import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { inTransaction } from '@inference/database';
import { rememberEnvironment, testLog, waitFor, waitForLock } from '@inference/testing';
import { type SignedIn, testEnvironment, TestSite } from '../console.fixture';

const MAIN = join(__dirname, '../../../../dist/apps/console/src/main.js');
const GATE = 5_120_066;

/** Transfers wait at the gate in the middle of their COMMIT. */
const CLOSE_GATE = `
  CREATE FUNCTION wallet.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${GATE});
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON wallet.transfers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet.wait_at_gate();`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('an adjustment whose answer was lost because the console was killed', () => {
  let site: TestSite;
  let admin: SignedIn;
  let account: SignedIn;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    site = await TestSite.start();
    [admin, account] = [await site.signedIn('admin'), await site.signedIn()];
  });
  afterEach(() => void child?.kill('SIGKILL'));
  afterAll(() => site.stop());

  const order = () => ({
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${admin.token}`,
      'Idempotency-Key': 'lost',
    },
    body: JSON.stringify({ account_id: account.accountId, amount: '12.5', description: 'Credit' }),
  });
  const transfers = async () => {
    const { rows } = await site.database.pool.query<{ id: string }>(
      "SELECT id FROM wallet.transfers WHERE reference LIKE '%:lost'",
    );
    return rows.map(({ id }) => id);
  };

  /** Null when somebody else was given the port meanwhile. */
  async function tryToStart(): Promise<string | null> {
    const port = String(await freePort());
    const environment = { ...testEnvironment(site.database.urlFor('console')), PORT: port };
    rememberEnvironment(environment);
    const started = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...environment } });
    child = started;
    const log = testLog('console');
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => log.write(chunk));
    const url = `http://127.0.0.1:${port}`;
    // Another console would not know the session.
    const headers = { Authorization: `Bearer ${admin.token}` };
    const isUp = await waitFor(async () => {
      if (started.exitCode !== null) return 'ended';
      return (await fetch(`${url}/api/auth/me`, { headers })).ok && 'up';
    });
    return isUp === 'up' ? url : null;
  }

  async function startConsole(): Promise<string> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const url = await tryToStart();
      if (url !== null) return url;
    }
    throw new Error('The console does not start.');
  }

  it('is posted once, and told when it is asked for again', async () => {
    const url = await startConsole();
    await site.database.pool.query(CLOSE_GATE);
    const outcome = await inTransaction(site.database.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [GATE]);
      const answer = fetch(`${url}/api/admin/billing/adjustments`, order()).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => 'lost',
      );
      await Promise.race([waitForLock(site.database.pool), answer]);
      child!.kill('SIGKILL');
      return [await answer, await transfers()];
    });
    expect(outcome).toEqual(['lost', []]);
    const [id] = await waitFor(async () => ((await transfers()).length > 0 ? transfers() : null));
    const again = () => fetch(`${site.console.url}/api/admin/billing/adjustments`, order());
    const answers = await Promise.all([again(), again(), again()]);
    for (const each of answers) {
      expect(each.status).toBe(201);
      expect(await each.json()).toMatchObject({ id, amount: 12.5, account_id: account.accountId });
    }
    expect(await transfers()).toEqual([id]);
    const settings = await site.console.request('GET', '/api/billing/settings', { token: account.token });
    expect(settings.text).toContain('"balance":12.5,');
  });
});
