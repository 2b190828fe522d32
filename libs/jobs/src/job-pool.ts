import { Pool, TypeOverrides } from 'pg';

/** Longer than the database's own limit of a statement, for a server or a network that hangs. */
const QUERY_MILLIS = 35_000;
const CONNECTION_MILLIS = 5_000;
const INT8 = 20;

/**
 * Returns a pool as the job library needs it: int8 columns are text, not BigInt as in the pool of the services. Workers
 * that share it, each with this concurrency, have one connection each that listens for jobs, and as many together as the
 * largest of them needs to take jobs and mark them as done.
 *
 * @param applicationName shown in pg_stat_activity
 */
export function createJobPool(databaseUrl: string, applicationName: string, concurrencies: number[]): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, String);
  const pool = new Pool({
    connectionString: databaseUrl,
    types,
    max: concurrencies.length + Math.max(...concurrencies),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECTION_MILLIS,
    query_timeout: QUERY_MILLIS,
    keepAlive: true,
  });
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', () => undefined);
  return pool;
}
