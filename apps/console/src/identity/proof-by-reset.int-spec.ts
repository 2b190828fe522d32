import { waitForLock } from '@inference/testing';
import { hasUnprovenAccess } from '../accounts/unproven-access.repository';
import { createMailToken } from '../notifications/mail/mail-tokens';
import { TestSite } from '../testing/console.fixture';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple of another horse';

let site: TestSite;
let registered = 0;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

const post = (path: string, json?: unknown, token?: string) =>
  site.console.request('POST', path, { json, ...(token === undefined ? {} : { token }) });
const query = (text: string, values: unknown[]) => site.database.pool.query(text, values);

async function register() {
  const email = `owner${++registered}@example.com`;
  const { body } = await post('/api/auth/register', { email, password: PASSWORD });
  const { token, user } = body as { token: string; user: { id: string } };
  return { email, token, accountId: user.id };
}
type Registered = Awaited<ReturnType<typeof register>>;

const mailToken = ({ accountId, email }: Registered, purpose: 'reset_password' | 'verify_email') =>
  createMailToken(site.database.pool, { accountId, purpose, email });
const reset = async (account: Registered) =>
  post('/api/auth/password/reset', {
    token: await mailToken(account, 'reset_password'),
    password: NEW_PASSWORD,
  });
const link = (accountId: string) =>
  query(
    `INSERT INTO accounts.oauth_identities (id, issuer, subject, account_id, email)
     VALUES ('idn_' || $1, 'https://issuer.test', $1, $1, 'x@example.com')`,
    [accountId],
  );
const countOf = async (table: string, accountId: string) =>
  (await query(`SELECT FROM accounts.${table} WHERE account_id = $1`, [accountId])).rowCount;
const liveKeysOf = async (accountId: string) =>
  (await query('SELECT FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL', [accountId]))
    .rowCount;

describe('a reset by mail', () => {
  const confirm = async (account: Registered) =>
    post('/api/auth/email/verify', { token: await mailToken(account, 'verify_email') }, account.token);
  const eventsOf = async (accountId: string) => {
    const { rows } = await query(
      `SELECT type FROM accounts.security_events WHERE account_id = $1
       AND type IN ('identity.unlinked', 'api_key.deleted', 'workspace_key.deleted', 'two_factor.disabled')
       ORDER BY type`,
      [accountId],
    );
    return (rows as { type: string }[]).map(({ type }) => type);
  };
  /** What somebody may have made who registered the address. Older versions let them turn two factors on. */
  async function makeAccess(account: Registered, name: string) {
    const { accountId, token } = account;
    await link(accountId);
    const made = await post('/api/api-keys', { name }, token);
    await insertWorkspaceKey(accountId, name);
    await query(
      "INSERT INTO accounts.totp (account_id, sealed_secret, enabled_at) VALUES ($1, 'x', clock_timestamp())",
      [accountId],
    );
    await query("INSERT INTO accounts.recovery_codes (account_id, code_hash) VALUES ($1, 'x')", [accountId]);
    return (made.body as { key: string }).key;
  }
  const insertWorkspaceKey = (accountId: string, name: string) =>
    query(
      `WITH workspace AS (INSERT INTO memo.workspaces (id, name, created_by) VALUES ($1 || $2, 'w', $1) RETURNING id),
         member AS (INSERT INTO memo.members (workspace_id, account_id, role, shows_email)
           SELECT id, $1, 'admin', true FROM workspace RETURNING workspace_id)
       INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role)
       SELECT 'wk' || $1 || $2, workspace_id, $1, $2, 'sk_', sha256(($1 || $2)::bytea), 'viewer' FROM member`,
      [accountId, name],
    );
  const accessOf = async ({ accountId }: Registered) => ({
    identities: await countOf('oauth_identities', accountId),
    apiKeys: await liveKeysOf(accountId),
    workspaceKeys: (await query('SELECT FROM memo.keys WHERE account_id = $1', [accountId])).rowCount,
    secondFactors: await countOf('totp', accountId),
    recoveryCodes: await countOf('recovery_codes', accountId),
  });
  const NOTHING = { identities: 0, apiKeys: 0, workspaceKeys: 0, secondFactors: 0, recoveryCodes: 0 };
  const ALL = { identities: 1, apiKeys: 1, workspaceKeys: 1, secondFactors: 1, recoveryCodes: 1 };

  it('that proves the address first revokes all that was made before', async () => {
    const account = await register();
    await makeAccess(account, 'of the stranger');
    expect(await accessOf(account)).toEqual(ALL);
    expect((await reset(account)).status).toBe(202);
    expect(await accessOf(account)).toEqual(NOTHING);
    expect(await eventsOf(account.accountId)).toEqual([
      'api_key.deleted',
      'identity.unlinked',
      'two_factor.disabled',
      'workspace_key.deleted',
    ]);
    const { rows } = await query(
      "SELECT params->'revoked' AS revoked FROM accounts.mail_outbox WHERE account_id = $1 AND kind = 'access_revoked'",
      [account.accountId],
    );
    const revoked = { apiKeys: 1, workspaceKeys: 1, identities: 1, secondFactors: 1, passwords: 0 };
    expect(rows).toEqual([{ revoked }]);
    const login = await post('/api/auth/login', { identifier: account.email, password: NEW_PASSWORD });
    expect(login.body).toMatchObject({ token: expect.any(String) });
  });

  it('revokes what was made before an earlier confirmation', async () => {
    const account = await register();
    await makeAccess(account, 'of the stranger');
    await site.confirmAddress(account.accountId);
    expect(await accessOf(account)).toEqual(ALL);
    expect((await reset(account)).status).toBe(202);
    expect(await accessOf(account)).toEqual(NOTHING);
  });

  it('keeps what was made after the confirmation', async () => {
    const account = await register();
    expect((await confirm(account)).status).toBe(202);
    await makeAccess(account, 'my own');
    expect((await reset(account)).status).toBe(202);
    expect(await accessOf(account)).toEqual(ALL);
    expect(await eventsOf(account.accountId)).toEqual([]);
    const mails = "SELECT FROM accounts.mail_outbox WHERE account_id = $1 AND kind = 'access_revoked'";
    expect((await query(mails, [account.accountId])).rowCount).toBe(0);
  });

  it('leaves the workspace keys of other members', async () => {
    const [account, other] = [await register(), await register()];
    await insertWorkspaceKey(account.accountId, 'of the stranger');
    await insertWorkspaceKey(other.accountId, 'of a colleague');
    await query(
      `INSERT INTO memo.members (workspace_id, account_id, role, shows_email)
       SELECT workspace_id, $2, 'viewer', true FROM memo.keys WHERE account_id = $1`,
      [other.accountId, account.accountId],
    );
    expect((await reset(account)).status).toBe(202);
    expect((await accessOf(account)).workspaceKeys).toBe(0);
    expect((await accessOf(other)).workspaceKeys).toBe(1);
  });

  it('waits for a workspace key that is being made', async () => {
    const account = await register();
    await insertWorkspaceKey(account.accountId, 'first');
    const making = await site.database.pool.connect();
    await making.query('BEGIN');
    await making.query('SELECT FROM memo.workspaces WHERE created_by = $1 FOR NO KEY UPDATE', [
      account.accountId,
    ]);
    const resetting = reset(account);
    await waitForLock(site.database.pool);
    await making.query(
      `INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role)
       SELECT id || '2', workspace_id, account_id, name, prefix, sha256(id::bytea), role FROM memo.keys WHERE account_id = $1`,
      [account.accountId],
    );
    await making.query('COMMIT');
    making.release();
    expect((await resetting).status).toBe(202);
    expect((await accessOf(account)).workspaceKeys).toBe(0);
  });

  it('waits for a workspace that is being created', async () => {
    const account = await register();
    const making = await site.database.pool.connect();
    await making.query('BEGIN');
    await making.query("SELECT pg_advisory_xact_lock(hashtextextended('memo.workspaces:' || $1, 0))", [
      account.accountId,
    ]);
    const resetting = reset(account);
    await waitForLock(site.database.pool);
    await insertWorkspaceKey(account.accountId, 'of the stranger');
    await making.query('COMMIT');
    making.release();
    expect((await resetting).status).toBe(202);
    expect((await accessOf(account)).workspaceKeys).toBe(0);
  });

  it('is announced by its mail if it revokes no more than a workspace key', async () => {
    const account = await register();
    const isAnnounced = () => hasUnprovenAccess(site.database.pool, account.accountId);
    await site.confirmAddress(account.accountId);
    await insertWorkspaceKey(account.accountId, 'my own');
    expect(await isAnnounced()).toBe(false);
    await query("UPDATE memo.keys SET created_at = now() - interval '1 day' WHERE account_id = $1", [
      account.accountId,
    ]);
    expect(await isAnnounced()).toBe(true);
  });
});
