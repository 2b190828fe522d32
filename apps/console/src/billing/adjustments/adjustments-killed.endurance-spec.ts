import { waitFor, waitForLock } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { ConsoleProcess } from '../../testing/console-process.fixture';

const GATE = 5_120_066;

/** Makes transfers wait for a lock in the middle of their COMMIT. */
const CLOSE_GATE = `
  CREATE FUNCTION wallet.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${GATE});
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON wallet.transfers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet.wait_at_gate();`;

describe('an adjustment whose response was lost because the console was killed', () => {
  let site: TestSite;
  let admin: SignedIn;
  let account: SignedIn;
  let killed: ConsoleProcess;

  beforeAll(async () => {
    site = await TestSite.start();
    [admin, account] = [await site.signedIn('admin'), await site.signedIn()];
    killed = await ConsoleProcess.start(site, admin.token);
  });
  afterEach(() => killed.kill());
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

  it('is posted once, and a repeated request returns it', async () => {
    await site.database.pool.query(CLOSE_GATE);
    const outcome = await site.database.pool.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [GATE]);
      const answer = fetch(`${killed.url}/api/admin/billing/adjustments`, order()).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => 'lost',
      );
      await Promise.race([waitForLock(site.database.pool), answer]);
      killed.kill();
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
