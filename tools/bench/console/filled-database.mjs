import pg from 'pg';
import { fillStatements } from './fill-statements.mjs';

/** @import { Size } from './fill-statements.mjs' */

/** Makes `random()` give the same values in every run. */
const SEED = 0.5;

/** Without triggers and foreign keys: they would schedule a job for each payment, and take most of the time. */
const SETTINGS = `
  SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB';
  SET maintenance_work_mem = '1GB'`;

/** Their indexes are built at the end, which takes a fraction of the time. */
const LARGE_TABLES = [
  ...[
    'metering.hourly_rollup',
    'wallet.transfers',
    'wallet.entries',
    'billing.payments',
    'accounts.accounts',
  ],
  ...['accounts.sessions', 'accounts.refresh_tokens', 'accounts.security_events', 'accounts.api_keys'],
];
/** `REINDEX` makes them valid again. */
const DISABLE_INDEXES = `
  UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = ANY ('{${LARGE_TABLES.join()}}'::regclass[])`;

/** Tables by schema and name, partitions included. */
const MEASURE_TABLES = `
  SELECT n.nspname || '.' || c.relname AS name, c.reltuples::int AS rows, pg_total_relation_size(c.oid) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`;

/**
 * @typedef {object} TableSize
 * @property {string} name with its schema
 * @property {number} rows
 * @property {number} bytes with its indexes
 */

/** As the job of the gateways: a step is at most a day. @param {pg.Client} client @param {AbortSignal} signal */
async function rollUpHours(client, signal) {
  for (let isLeft = true; isLeft;) {
    signal.throwIfAborted();
    isLeft = (await client.query('SELECT metering.roll_up_hours() AS left')).rows[0].left;
  }
}

/**
 * @param {import('../setup/workbench.mjs').Workbench} bench
 * @param {string} databaseUrl of the superuser
 * @param {Size & { largeAccountId: string, priceListId: bigint }} content
 * @returns {Promise<TableSize[]>}
 */
export async function fillDatabase(bench, databaseUrl, { largeAccountId, priceListId, ...size }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(SETTINGS);
    await client.query('SELECT setseed($1)', [SEED]);
    const statements = [
      DISABLE_INDEXES,
      ...fillStatements(size, largeAccountId, priceListId),
      ...LARGE_TABLES.map((table) => `REINDEX TABLE ${table}`),
    ];
    for (const statement of statements) {
      bench.signal.throwIfAborted();
      await client.query(statement);
    }
    await rollUpHours(client, bench.signal);
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
    const { rows } = await client.query(MEASURE_TABLES);
    return rows.map(({ name, rows: count, bytes }) => ({ name, rows: count, bytes: Number(bytes) }));
  } finally {
    await client.end();
  }
}
