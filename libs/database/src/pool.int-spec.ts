import { randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { PoolDataSource } from './data-source';
import { Database } from './database';
import { createPool, type SqlPool } from './pool';
import { isDatabaseUnavailable } from './errors';

let database: TestDatabase;
let pool: SqlPool;
let transactions: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE public.notes (id text PRIMARY KEY, amount numeric(38, 0))');
});

beforeEach(async () => {
  await database.pool.query('TRUNCATE public.notes');
  const source = new PoolDataSource({ url: database.ownerUrl, applicationName: 'under test', size: 2 });
  pool = source.pool;
  transactions = new Database(source);
});

afterEach(() => pool.end());
afterAll(() => database.drop());

const STATEMENT_TIMEOUT = "SELECT current_setting('statement_timeout') AS limit";
const insertNote = "INSERT INTO public.notes VALUES ('a', 1)";

async function countNotes(): Promise<bigint> {
  const { rows } = await database.pool.query<{ count: bigint }>('SELECT count(*) FROM public.notes');
  return rows[0]!.count;
}

/** Terminates the pool's connections, as an administrator or a restart of the server does. */
async function terminate(): Promise<void> {
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'under test' AND datname = current_database()`,
  );
}

/** A proxy to the database that sends a termination in the same packet as ReadyForQuery. */
async function startServerThatTerminates(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const { hostname, port } = url;
  const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const terminated = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), fields]);
  terminated.writeInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    socket.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.subarray(-READY.length).equals(READY)) socket.end(Buffer.concat([chunk, terminated]));
      else socket.write(chunk);
    });
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

describe('createPool', () => {
  it('reads integers of any size exactly', async () => {
    const { rows } = await pool.query(
      `SELECT 9007199254740993::bigint AS big, ${'9'.repeat(38)}::numeric AS huge, sum(x) AS total
       FROM (VALUES (-1::numeric(38, 0)), (3)) v (x)`,
    );
    expect(rows[0]).toEqual({ big: 9007199254740993n, huge: 10n ** 38n - 1n, total: 2n });
  });

  it('writes integers of any size exactly', async () => {
    const amount = -(10n ** 38n - 1n);
    await pool.query("INSERT INTO public.notes VALUES ('a', $1)", [amount]);
    const { rows } = await pool.query<{ amount: bigint }>('SELECT amount FROM public.notes');
    expect(rows[0]!.amount).toBe(amount);
  });

  it('replaces connections that broke while idle', async () => {
    await pool.query('SELECT 1');
    await terminate();
    await waitFor(() => pool.totalCount === 0);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('outlives connections that break while they are taken and no statement runs', async () => {
    const client = await pool.connect();
    const cut = new Promise((resolve) => client.once('end', resolve));
    await terminate();
    await cut;
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('outlives a termination that arrives together with the message that a new connection is ready', async () => {
    const server = await startServerThatTerminates(database.ownerUrl);
    const other = new PoolDataSource({ url: server.url, applicationName: 'terminated', size: 1 });
    const error = await failureOf(() =>
      new Database(other).transaction((client) => client.query('SELECT 1')),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await other.pool.end();
    await server.close();
  });
});

describe('Database.transaction', () => {
  it('commits the work and returns its result', async () => {
    const result = await transactions.transaction(async (client) => {
      await client.query(insertNote);
      expect(await countNotes()).toBe(0n);
      return 'done';
    });
    expect([result, await countNotes()]).toEqual(['done', 1n]);
  });

  it('rolls back when the work throws, and rethrows the error', async () => {
    const failure = new Error('changed my mind');
    const work = transactions.transaction(async (client) => {
      await client.query(insertNote);
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await countNotes()).toBe(0n);
    expect(pool.idleCount).toBe(1);
  });

  it('rolls back when a statement fails, even if the work continues', async () => {
    const work = transactions.transaction(async (client) => {
      await client.query(insertNote);
      await client.query('SELECT 1 / 0').catch(() => undefined);
      return client.query(insertNote);
    });
    await expect(work).rejects.toMatchObject({ code: '25P02' });
    expect(await countNotes()).toBe(0n);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('discards a connection that broke between two statements', async () => {
    const error = await failureOf(() =>
      transactions.transaction(async (client) => {
        await client.query(insertNote);
        const cut = new Promise((resolve) => pool.once('remove', resolve));
        await terminate();
        await cut;
        await client.query("INSERT INTO public.notes VALUES ('b', 2)");
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(pool.totalCount).toBe(0);
    expect(await countNotes()).toBe(0n);
    await transactions.transaction((client) => client.query(insertNote));
    expect(await countNotes()).toBe(1n);
  });

  it('never reports success for a commit that did not reach the server', async () => {
    const error = await failureOf(() =>
      transactions.transaction(async (client) => {
        await client.query(insertNote);
        const cut = new Promise((resolve) => pool.once('remove', resolve));
        await terminate();
        await cut;
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await countNotes()).toBe(0n);
  });

  it('releases every connection, whether the work succeeds or fails', async () => {
    const work = Array.from({ length: 20 }, (_, index) =>
      transactions
        .transaction(async (client) => {
          await client.query('SELECT 1');
          if (index % 2) throw new Error('odd');
        })
        .catch(() => undefined),
    );
    await Promise.all(work);
    expect([pool.idleCount, pool.waitingCount]).toEqual([2, 0]);
  });
});

describe('readWithin', () => {
  it('cancels a statement that takes longer, and no later one', async () => {
    const slow = transactions.readWithin(50, (executor) => executor.query('SELECT pg_sleep(30)'));
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    const quick = await transactions.readWithin(2_000, (executor) => executor.query(STATEMENT_TIMEOUT));
    expect(quick.rows).toEqual([{ limit: '2s' }]);
    expect((await transactions.query(STATEMENT_TIMEOUT)).rows).toEqual([{ limit: '30s' }]);
  });
});

describe('isDatabaseUnavailable', () => {
  const queryAt = (url: string) => async () => {
    const other = createPool({ url, applicationName: 'elsewhere', size: 1 });
    await other.query('SELECT 1').finally(() => other.end());
  };

  it('is true for a refused connection', async () => {
    expect(isDatabaseUnavailable(await failureOf(queryAt('postgres://u:p@127.0.0.1:1/none')))).toBe(true);
    expect(isDatabaseUnavailable(await failureOf(queryAt('postgres://u:p@localhost:1/none')))).toBe(true);
  });

  it('is true for a host that does not exist', async () => {
    expect(isDatabaseUnavailable(await failureOf(queryAt('postgres://u:p@nowhere.invalid:5432/none')))).toBe(
      true,
    );
  });

  it('is true for a server that closes the connection at once', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(isDatabaseUnavailable(await failureOf(queryAt(`postgres://u:p@127.0.0.1:${port}/none`)))).toBe(
      true,
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it('is true for a query whose connection is terminated', async () => {
    const running = failureOf(() => pool.query('SELECT pg_sleep(30)'));
    await waitFor(async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'under test' AND wait_event = 'PgSleep'",
      );
      return rowCount === 1;
    });
    await terminate();
    expect(isDatabaseUnavailable(await running)).toBe(true);
  });

  it('is true for a query whose connection ends without an error message', async () => {
    const { hostname, port } = new URL(database.ownerUrl);
    const proxy = createServer((socket) => {
      const upstream = connect(Number(port), hostname);
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
      setTimeout(() => socket.destroy(), 300);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.ownerUrl);
    url.port = String((proxy.address() as AddressInfo).port);
    const other = createPool({ url: url.href, applicationName: 'proxied', size: 1 });
    expect(isDatabaseUnavailable(await failureOf(() => other.query('SELECT pg_sleep(2)')))).toBe(true);
    await other.end();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it.each([
    ['a statement that took too long', 'BEGIN; SET LOCAL statement_timeout = 50; SELECT pg_sleep(30)'],
    ['a server that only reads', 'BEGIN READ ONLY; CREATE TABLE public.never ()'],
  ])('is true for %s', async (_what, text) => {
    const client = await pool.connect();
    expect(isDatabaseUnavailable(await failureOf(() => client.query(text)))).toBe(true);
    client.release(true);
  });

  it('is true for a server that has no connection left', async () => {
    // Roles are shared by all databases of the server: limiting a role of the product would break other tests.
    const role = `crowded_${randomBytes(6).toString('hex')}`;
    await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pw' CONNECTION LIMIT 0`);
    const url = Object.assign(new URL(database.ownerUrl), { username: role, password: 'pw' });
    const error = await failureOf(queryAt(url.href));
    await database.pool.query(`DROP ROLE ${role}`);
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each(['SELECT 1 / 0', 'SELECT FROM nowhere', 'nonsense', "SELECT 'x'::int"])(
    'is false for the faulty statement %s',
    async (text) => {
      expect(isDatabaseUnavailable(await failureOf(() => pool.query(text)))).toBe(false);
    },
  );

  it.each([
    undefined,
    null,
    'ECONNREFUSED',
    { code: 'ECONNREFUSED' },
    new Error('any'),
    new AggregateError([]),
  ])('is false for %p', (thrown) => expect(isDatabaseUnavailable(thrown)).toBe(false));
});
