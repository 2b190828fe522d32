import { Pool, type PoolClient, types } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
types.setTypeParser(INT8, BigInt);
/** A decimal number stays text. */
types.setTypeParser(NUMERIC, (text) => (text.includes('.') ? text : BigInt(text)));

const STATEMENT_TIMEOUT_MILLIS = 30_000;
const CONNECT_MILLIS = 5_000;

export interface PoolOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  size: number;
  /** How long a statement waits for a connection. */
  connectMillis?: number;
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/** A pool that tells how long somebody has waited for a connection because all were busy. */
export class SqlPool extends Pool {
  onWait: ((seconds: number) => void) | undefined;

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    const isBusy = this.totalCount >= this.options.max && this.waitingCount >= this.idleCount;
    if (!isBusy) return callback ? super.connect(callback) : super.connect();
    const startedAt = performance.now();
    const end = () => this.onWait?.((performance.now() - startedAt) / 1_000);
    if (!callback) return super.connect().finally(end);
    super.connect((...outcome) => {
      end();
      callback(...outcome);
    });
  }
}

/** Creates a connection pool. It connects lazily: without the database a service starts and its health probe answers 503. */
export function createPool({
  url,
  applicationName,
  size,
  connectMillis = CONNECT_MILLIS,
}: PoolOptions): SqlPool {
  const pool = new SqlPool({
    connectionString: url,
    application_name: applicationName,
    max: size,
    connectionTimeoutMillis: connectMillis,
    idleTimeoutMillis: 30_000,
    statement_timeout: STATEMENT_TIMEOUT_MILLIS,
    // The timeout of the server has no effect if the server hangs or its answer is lost in the network.
    query_timeout: STATEMENT_TIMEOUT_MILLIS + 5_000,
    // A host that disappears during a transaction must not keep its locks.
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MILLIS,
    keepAlive: true,
  });
  // A connection that breaks is replaced. Without a listener it would end the process: the pool itself listens only while a connection is
  // idle, not while it is handed to a caller that waits.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
