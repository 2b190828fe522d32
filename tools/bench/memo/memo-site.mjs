import { randomBytes } from 'node:crypto';
import { nodeOptionsOf } from '../../launcher/processes/child-processes.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';

const INSERT_ADMIN =
  "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'admin', true)";

/** @import { Workbench } from '../setup/workbench.mjs' */

/**
 * Starts the memo service in production configuration, with a database of its own and an account that can sign in.
 * @param {Workbench} bench
 * @param {string} name of the database
 * @param {NodeJS.ProcessEnv} environment
 */
export async function startMemo(bench, name, environment) {
  const database = await createDatabase(bench, name);
  const { pool } = database;
  const { TEST_API_KEY_HASH_SECRET, insertAccount, startIssuer } = loadBuilt('libs/testing/src');
  const { accountId } = await insertAccount(pool, { balancePicos: 0n });
  const issuer = await startIssuer();
  bench.defer(() => issuer.close());
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
    GATEWAY_CREDENTIAL: randomBytes(32).toString('hex'),
    DATABASE_URL: await roleUrl(database, 'memo'),
    CONSOLE_URL: issuer.url,
    ...environment,
  };
  const args = [...nodeOptionsOf('memo'), 'dist/apps/memo/src/main.js'];
  const memo = await bench.start({ name: 'memo', args, env, port, probe: '/healthz' });
  const { token } = await issuer.signIn(pool, accountId);
  return { pool, accountId, memo, token };
}

/** @typedef {Awaited<ReturnType<typeof startMemo>>} MemoSite */

/** Makes the account an admin of a workspace. @param {MemoSite} site @param {string} workspaceId */
export async function addAdmin({ pool, accountId }, workspaceId) {
  await pool.query(INSERT_ADMIN, [workspaceId, accountId]);
}

/** Creates a key of a workspace. @param {MemoSite} site @param {string} workspaceId @returns {Promise<string>} */
export async function createKey({ memo, token }, workspaceId) {
  const response = await fetch(`${memo.url}/v1/workspaces/${workspaceId}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'editor' }),
  });
  if (!response.ok) throw new Error(`keys: ${response.status} ${await response.text()}`);
  const { key } = /** @type {{ key: string }} */ (await response.json());
  return key;
}
