import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { readPlans, summarizePlans } from './statement-plans.mjs';

/** One more than the table size from which on a sequential scan is a fault. */
const ROWS = 10_001;
const TABLE_ROWS = new Map([
  ['shop.orders', ROWS],
  ['shop.kinds', 2],
]);
const SCHEMA = `
  CREATE SCHEMA shop;
  CREATE TABLE shop.kinds (name text PRIMARY KEY);
  INSERT INTO shop.kinds VALUES ('a'), ('b');
  CREATE TABLE shop.orders (id integer PRIMARY KEY, kind text, note text);
  INSERT INTO shop.orders SELECT n, chr(97 + n % 2), 'note ' || n FROM generate_series(1, ${ROWS}) n;
  CREATE TABLE shop.events (id integer, at date) PARTITION BY RANGE (at);
  CREATE TABLE shop.events_2026_01 PARTITION OF shop.events FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
  CREATE TABLE shop.events_2026_02 PARTITION OF shop.events FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
  CREATE INDEX events_at ON shop.events (at, id);
  INSERT INTO shop.events SELECT n, '2026-01-01'::date + n % 59 FROM generate_series(1, ${ROWS}) n;
  CREATE SCHEMA shop_jobs;
  CREATE TABLE shop_jobs.jobs (id integer);
  CREATE FUNCTION shop.count_kind(wanted text) RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (SELECT count(*) FROM shop.orders WHERE kind = wanted);
  END $$;
  ANALYZE`;

let database: TestDatabase;
let client: Client;
let log: string;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  // A line of a message that is not the first one begins with a tab in the log.
  client.on('notice', ({ message = '' }) => (log += `2026 [1] LOG:  ${message.replaceAll('\n', '\n\t')}\n`));
  await client.connect();
  await client.query(SCHEMA);
  await client.query(`
    LOAD 'auto_explain';
    SET auto_explain.log_level = notice; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
    SET auto_explain.log_verbose = on; SET auto_explain.log_format = json; SET auto_explain.log_nested_statements = on`);
});
beforeEach(() => (log = ''));
afterAll(async () => {
  await client.end();
  await database.drop();
});

const summariesOf = async (...statements: string[]) => {
  for (const statement of statements) await client.query(statement);
  return summarizePlans(readPlans(log), TABLE_ROWS);
};

it('tells the indexes of a statement, and the rows that it reads and returns', async () => {
  const statement = "SELECT *\n  FROM shop.orders WHERE id BETWEEN 11 AND 20 AND note <> 'note 15'";
  expect(await summariesOf(statement, statement)).toEqual([
    {
      text: "SELECT * FROM shop.orders WHERE id BETWEEN 11 AND 20 AND note <> 'note 15'",
      executions: 2,
      indexes: ['orders_pkey'],
      sequential: [],
      rowsRead: 10,
      rowsReturned: 9,
      isIndexOnly: false,
      readsMore: false,
      faults: [],
    },
  ]);
});

it('counts the rows of all loops of a join', async () => {
  const [summary] = await summariesOf(`
    SELECT o.id FROM shop.kinds k CROSS JOIN LATERAL (
      SELECT id FROM shop.orders WHERE id BETWEEN ascii(k.name) AND ascii(k.name) + 4 OFFSET 0) o`);
  expect(summary).toMatchObject({ rowsRead: 2 + 2 * 5, rowsReturned: 2 * 5, faults: [] });
});

it('rejects a sequential scan of a table with many rows', async () => {
  const [summary] = await summariesOf("SELECT id FROM shop.orders WHERE note = 'note 7'");
  expect(summary).toMatchObject({
    indexes: [],
    sequential: ['shop.orders'],
    rowsRead: ROWS,
    rowsReturned: 1,
    faults: [`reads shop.orders (${ROWS} rows) without an index`],
  });
});

it('accepts a sequential scan of a table with few rows', async () => {
  const [summary] = await summariesOf('SELECT * FROM shop.kinds');
  expect(summary).toMatchObject({ sequential: ['shop.kinds'], rowsRead: 2, faults: [] });
});

it('rejects the reading of a whole index, but not the first rows of one', async () => {
  const [ordered, first] = await summariesOf(
    'SET enable_seqscan = off',
    'SELECT id FROM shop.orders ORDER BY id',
    'SELECT id FROM shop.orders ORDER BY id LIMIT 3',
    'RESET enable_seqscan',
  );
  expect(ordered?.faults).toEqual([`reads ${ROWS} rows of shop.orders by orders_pkey without a condition`]);
  expect(first).toMatchObject({ indexes: ['orders_pkey'], rowsRead: 3, faults: [] });
});

it('rejects the reading of many rows by an index that does not leave them out', async () => {
  const [summary] = await summariesOf(
    'SET enable_seqscan = off',
    "SELECT id FROM shop.orders WHERE id > 0 AND note = 'note 7'",
    'RESET enable_seqscan',
  );
  expect(summary?.indexes).toEqual(['orders_pkey']);
  expect(summary?.faults).toEqual([
    `reads ${ROWS - 1} rows of shop.orders that its index does not leave out`,
  ]);
});

it('tells whether a statement reads indexes only', async () => {
  const [rows, ids] = await summariesOf(
    'SELECT note FROM shop.orders WHERE id = 7',
    'SELECT id FROM shop.orders WHERE id = 7',
  );
  expect([rows?.isIndexOnly, ids?.isIndexOnly]).toEqual([false, true]);
});

it('tells whether a statement reads many more rows than it returns', async () => {
  const [sum, rows] = await summariesOf(
    'SELECT sum(id) FROM shop.orders WHERE id BETWEEN 1 AND 1000',
    'SELECT id FROM shop.orders WHERE id BETWEEN 1 AND 1000',
  );
  expect([sum?.readsMore, rows?.readsMore]).toEqual([true, false]);
});

it('shows the indexes of partitions as one', async () => {
  const [summary] = await summariesOf(
    "SELECT id FROM shop.events WHERE at IN ('2026-01-10', '2026-02-10') ORDER BY id LIMIT 1",
  );
  expect(summary?.indexes).toEqual(['events_*_at_id_idx']);
});

it('checks the statements inside of functions', async () => {
  const summaries = await summariesOf("SELECT shop.count_kind('a')");
  expect(summaries.map(({ faults }) => faults)).toEqual([
    [`reads shop.orders (${ROWS} rows) without an index`],
  ]);
});

it('leaves out statements without tables and those of a job queue', async () => {
  expect(
    await summariesOf('SELECT 1', 'SELECT * FROM shop_jobs.jobs', 'SELECT count(*) FROM pg_class'),
  ).toEqual([]);
});
