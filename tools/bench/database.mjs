import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { runNode } from '../launcher/children.mjs';
import { root } from './workbench.mjs';

const require = createRequire(import.meta.url);

/** A built part of the product. @param {string} part folder or file under `dist`; there once the workbench is open */
export const product = (part) => require(path.join(root, 'dist', part));

/** Picos per token. The two models of a run, of which only the first one is asked for over HTTP. */
export const PRICES = [
  { slug: 'sandbox-chat', unit: 'per_million_input_tokens', ratePicos: 500_000n },
  { slug: 'sandbox-chat', unit: 'per_million_output_tokens', ratePicos: 1_500_000n },
  { slug: 'sandbox-mini', unit: 'per_million_input_tokens', ratePicos: 100_000n },
  { slug: 'sandbox-mini', unit: 'per_million_output_tokens', ratePicos: 300_000n },
];

/** A million of the site's currency: no load of minutes spends it. */
export const BALANCE_PICOS = 1_000_000n * 10n ** 12n;

/**
 * @typedef {object} Database
 * @property {import('pg').Pool} pool of the owner
 * @property {string} gatewayUrl with the gateway's own rights only
 * @property {bigint} priceListId of PRICES
 * @property {string} durability the settings in force that decide on it
 */

/** An empty database of the newest schema with published prices. @returns {Promise<Database>} */
export async function createDatabase(bench, name) {
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
  gatewayUrl.password = randomBytes(32).toString('hex');
  await runNode(['dist/libs/database/src/migrate.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url.href,
      GATEWAY_DATABASE_PASSWORD: gatewayUrl.password,
    },
    signal: bench.signal,
  });

  const pool = product('libs/database/src').createPool({
    url: url.href,
    applicationName: 'bench',
    size: 4,
  });
  bench.defer(() => pool.end());
  const priceListId = await product('libs/testing/src').publishPrices(pool, PRICES);
  return { pool, gatewayUrl: gatewayUrl.href, priceListId, durability: rows[0].text };
}

/** @returns {Promise<string>} the URL of the database with the rights of a service's role, which gets a password */
export async function roleUrl(database, role) {
  const password = randomBytes(32).toString('hex');
  await database.pool.query(`ALTER ROLE ${role} PASSWORD '${password}'`);
  const url = new URL(database.gatewayUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
