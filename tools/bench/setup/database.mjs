import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { runNode } from '../../launcher/processes/child-processes.mjs';
import { loadBuilt } from './built-modules.mjs';
import { root } from './workbench.mjs';

/**
 * Picos per token, of two models. HTTP requests name the first one only.
 * @type {import('../../../libs/testing/src/index.ts').TestPrice[]}
 */
export const PRICES = [
  { slug: 'sandbox-chat', unit: 'per_million_input_tokens', ratePicos: 500_000n },
  { slug: 'sandbox-chat', unit: 'per_million_output_tokens', ratePicos: 1_500_000n },
  { slug: 'sandbox-mini', unit: 'per_million_input_tokens', ratePicos: 100_000n },
  { slug: 'sandbox-mini', unit: 'per_million_output_tokens', ratePicos: 300_000n },
];

/** A million of the site's currency, which no run can spend. */
export const BALANCE_PICOS = 1_000_000n * 10n ** 12n;

/** One for the run: roles belong to all databases of a server. */
const gatewayPassword = randomBytes(32).toString('hex');

/**
 * @typedef {object} Database
 * @property {import('../../../libs/testing/src/index.ts').TestPool} pool of the superuser
 * @property {string} gatewayUrl of the database role of the gateway
 * @property {bigint} priceListId of PRICES
 * @property {string} durability the settings of PostgreSQL that decide on it
 */

/**
 * Creates a migrated database with published prices.
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {string} name
 * @param {string} folder of the checkout whose migrations it gets
 * @returns {Promise<Database>}
 */
export async function createDatabase(bench, name, folder = root) {
  const admin = new pg.Client({ connectionString: bench.postgresUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(name)}`);
  const { rows } = await admin.query(
    "SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) AS text FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')",
  );
  await admin.end();

  const url = new URL(bench.postgresUrl);
  url.pathname = `/${name}`;
  const gatewayUrl = new URL(url);
  gatewayUrl.username = 'gateway';
  gatewayUrl.password = gatewayPassword;
  await runNode(['dist/libs/database/src/migrate.js'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url.href,
      GATEWAY_DATABASE_PASSWORD: gatewayPassword,
    },
    signal: bench.signal,
  });

  const pool = loadBuilt('libs/testing/src').TestPool.of({
    url: url.href,
    applicationName: 'bench',
    size: 4,
  });
  bench.defer(() => pool.end());
  const priceListId = await loadBuilt('libs/testing/src', folder).publishPrices(pool, PRICES);
  return { pool, gatewayUrl: gatewayUrl.href, priceListId, durability: rows[0].text };
}

/**
 * Sets a new password for the database role of a service.
 * @param {Database} database
 * @param {string} role
 * @returns {Promise<string>} the URL of the database for the role
 */
export async function roleUrl(database, role) {
  const password = randomBytes(32).toString('hex');
  await database.pool.query(`ALTER ROLE ${role} PASSWORD '${password}'`);
  const url = new URL(database.gatewayUrl);
  url.username = role;
  url.password = password;
  return url.href;
}

/** Gives all API keys limits of every kind, which no load of a benchmark reaches. @param {Database} database */
export const limitKeys = ({ pool }) =>
  pool.query(
    'UPDATE accounts.api_keys SET requests_per_minute = 10000000, tokens_per_minute = 1000000000, max_concurrency = 10000',
  );
