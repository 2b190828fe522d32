import { Pool, TypeOverrides } from 'pg';

/** For a server or a network that hangs. */
const QUERY_MILLIS = 35_000;
const CONNECTION_MILLIS = 5_000;
/** The library returns a connection that has timed out to the pool. This bounds how long the pool uses it. */
const LIFETIME_SECONDS = 60;
const INT8 = 20;

/**
 * Returns a pool as the job library needs it: int8 columns are text, not BigInt as in the pool of the services. Each worker
 * that uses it keeps one connection that listens for jobs. All of them share further connections, as many as the largest
 * concurrency, to take jobs and mark them as done.
 *
 * @param applicationName shown in pg_stat_activity
 * @param concurrencies the concurrency of each worker that uses the pool
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
    maxLifetimeSeconds: LIFETIME_SECONDS,
  });
  // Without a listener a connection that breaks would end the process: while it is idle, and while the library uses it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
