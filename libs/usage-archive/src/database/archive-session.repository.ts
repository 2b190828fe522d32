import { Client } from 'pg';

/** Key of the advisory lock. Arbitrary, but the same on every host and in all versions. */
const ADVISORY_LOCK = 7_266_375;
const CONNECT_MILLIS = 5_000;

/** Another process exports or restores usage events. */
export class ArchiveBusyError extends Error {
  constructor() {
    super('Another process exports or restores usage events.');
  }
}

/**
 * Runs the work with a connection of the database's owner, whose statements take as long as they need. If the connection breaks, the
 * work fails with it.
 *
 * @param isExclusive whether to throw an ArchiveBusyError while another process works exclusively
 */
export async function withArchiveSession<T>(
  url: string,
  isExclusive: boolean,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'usage-archive',
    connectionTimeoutMillis: CONNECT_MILLIS,
    keepAlive: true,
  });
  // The running statement fails, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Times of JSON and of partition bounds are written in the time zone of the session. The server also looks whether the process
    // is alive, so that the lock of a killed one is free soon. transaction_timeout exists from PostgreSQL 17 on.
    await client.query(
      `SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET client_connection_check_interval = '1s'; SET statement_timeout = 0;
       SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;
       SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'`,
    );
    if (isExclusive) await takeLock(client);
    return await work(client);
  } finally {
    // Frees the lock.
    await client.end().catch(() => undefined);
  }
}

async function takeLock(client: Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    ADVISORY_LOCK,
  ]);
  if (!rows[0]!.locked) throw new ArchiveBusyError();
}

/** Runs the work in one transaction. An error rolls it back and is rethrown. */
export async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
