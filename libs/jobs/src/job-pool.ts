import { Pool, TypeOverrides } from 'pg';

/** Longer than the database's own limit of a statement, for a server or a network that hangs. */
const QUERY_MILLIS = 35_000;
const CONNECTION_MILLIS = 5_000;
const INT8 = 20;

/** Returns a pool as the job library needs it: int8 columns are text, not BigInt as in the pool of the services. */
export function createJobPool(databaseUrl: string, applicationName: string, size: number): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, String);
  const pool = new Pool({
    connectionString: databaseUrl,
    types,
    max: size,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECTION_MILLIS,
    query_timeout: QUERY_MILLIS,
    keepAlive: true,
  });
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', () => undefined);
  return pool;
}
