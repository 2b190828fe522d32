import { Pool, type PoolClient, TypeOverrides } from 'pg';

/** For a server or a network that hangs. */
const QUERY_MILLIS = 35_000;
const CONNECTION_MILLIS = 5_000;
/** The library returns a connection that has timed out to the pool. This bounds how long the pool uses it. */
const LIFETIME_SECONDS = 60;
const INT8 = 20;

/** Of the overload that takes a callback. */
type Connected = Parameters<Pool['connect']>[0];

/**
 * A pool that takes each connection back only once. If a worker stops while its LISTEN waits for an answer, and the connection breaks
 * then, the library releases that connection twice (0.16.6). The pool of `pg` throws the second time, nobody catches the error,
 * and the process ends.
 */
class JobPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      // A pool that has ended passes no release, whatever its types say.
      if (!client) return callback(error, client, release);
      let isReleased = false;
      callback(error, client, (fault) => {
        if (!isReleased) release(fault);
        isReleased = true;
      });
    });
  }
}

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
  const pool = new JobPool({
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

/** Seconds, for `BackgroundJobs.schedule`. */
export const EVERY_MINUTE = 60;
export const EVERY_TEN_MINUTES = 600;
export const EVERY_HOUR = 3_600;
