import { DatabaseBefore } from '../database-before.fixture';
import { changing } from '../migration-runner/change-migration.fixture';
import { type MigrationClass } from '../migration';
import { type MigrationSettings } from '../migration-runner/migration-runner';

/** `big` has 2,000 rows, `small` 10, and the two partitions of `parts` have 1,000 each. */
const FILL = `
  DROP SCHEMA IF EXISTS t CASCADE;
  CREATE SCHEMA t;
  CREATE TABLE t.other (id integer PRIMARY KEY);
  INSERT INTO t.other SELECT generate_series(1, 10);
  CREATE TABLE t.big (id integer PRIMARY KEY, note text, parent integer);
  INSERT INTO t.big SELECT i, i, 1 FROM generate_series(1, 2000) i;
  CREATE TABLE t.small (LIKE t.big INCLUDING ALL);
  INSERT INTO t.small SELECT * FROM t.big WHERE id <= 10;
  CREATE TABLE t.parts (id integer) PARTITION BY RANGE (id);
  CREATE TABLE t.parts_1 PARTITION OF t.parts FOR VALUES FROM (1) TO (1001);
  CREATE TABLE t.parts_2 PARTITION OF t.parts FOR VALUES FROM (1001) TO (2001);
  INSERT INTO t.parts SELECT generate_series(1, 2000);
  CREATE MATERIALIZED VIEW t.big_view AS SELECT generate_series(1, 2000);
  CREATE MATERIALIZED VIEW t.small_view AS SELECT generate_series(1, 10);
  ANALYZE`;
const LIMITS = { rows: 1_500, bytes: 2 ** 30 };

describe('the check for long locks', () => {
  let database: DatabaseBefore;
  let log: string[];

  beforeAll(async () => {
    database = await DatabaseBefore.createEmpty();
  });
  afterAll(() => database?.drop());

  beforeEach(async () => {
    await database.owner.query(`${FILL}; DROP TABLE IF EXISTS public.schema_migrations`);
    log = [];
  });

  function migrate(
    migrations: MigrationClass[],
    settings: Partial<MigrationSettings> = {},
  ): Promise<string[]> {
    return database.migrateUp(migrations.length, {
      ...{ baseline: [], functions: [], migrations, largeTables: LIMITS, log: (line) => log.push(line) },
      ...settings,
    });
  }

  describe.each([
    ['CREATE INDEX ON t.big (note)', 'CREATE INDEX without CONCURRENTLY'],
    ['REINDEX TABLE t.big', 'REINDEX without CONCURRENTLY'],
    ['REINDEX INDEX t.big_pkey', 'REINDEX without CONCURRENTLY'],
    ['CLUSTER t.big USING big_pkey', 'CLUSTER'],
    ['REFRESH MATERIALIZED VIEW t.big_view', 'REFRESH MATERIALIZED VIEW without CONCURRENTLY'],
    ['ALTER TABLE t.big ALTER note TYPE varchar(9)', 'ALTER COLUMN TYPE'],
    ['ALTER TABLE t.big SET UNLOGGED', 'SET UNLOGGED'],
    ['ALTER TABLE t.big ADD at timestamptz DEFAULT clock_timestamp()', 'ADD COLUMN with a volatile default'],
    ['ALTER TABLE t.big ADD n text DEFAULT (gen_random_uuid()::text)', 'ADD COLUMN with a volatile default'],
    ['ALTER TABLE t.big ADD n bigserial', 'ADD COLUMN with a sequence'],
    ['ALTER TABLE t.big ADD n int GENERATED ALWAYS AS IDENTITY', 'ADD COLUMN with a sequence'],
    ['ALTER TABLE t.big ADD n int GENERATED ALWAYS AS (id) STORED', 'ADD COLUMN … GENERATED … STORED'],
    ['ALTER TABLE t.big ADD n int UNIQUE', 'A constraint that builds an index'],
    ['ALTER TABLE t.big ADD n int CHECK (n > 0)', 'A constraint without NOT VALID'],
    ['ALTER TABLE t.big ADD n int DEFAULT 1 REFERENCES t.other', 'A constraint without NOT VALID'],
    ['ALTER TABLE t.big ADD m int, ADD CHECK (id > 0)', 'A constraint without NOT VALID'],
    ['ALTER TABLE t.big ADD FOREIGN KEY (parent) REFERENCES t.other', 'A constraint without NOT VALID'],
    ['ALTER TABLE t.big ADD CONSTRAINT n NOT NULL note', 'A constraint without NOT VALID'],
    ['ALTER TABLE t.big ADD UNIQUE (note)', 'A constraint that builds an index'],
    ['ALTER TABLE t.big ALTER note SET NOT NULL', 'SET NOT NULL of note without a validated constraint'],
    [
      'ALTER TABLE t.big ADD CONSTRAINT c CHECK (id > 0) NOT VALID; ALTER TABLE t.big VALIDATE CONSTRAINT c',
      'VALIDATE CONSTRAINT after a statement that locks the table',
    ],
    [
      'ALTER TABLE t.big RENAME TO renamed; CREATE INDEX ON t.renamed (note)',
      'CREATE INDEX without CONCURRENTLY',
    ],
    ['UPDATE t.big SET note = note', 'A change of about 2,000 rows'],
    ['DELETE FROM t.big WHERE id > 10', 'A change of about 1,990 rows'],
    [
      'WITH gone AS (DELETE FROM t.big RETURNING id) INSERT INTO t.other SELECT -id FROM gone',
      'A change of about 2,000 rows',
    ],
    [
      'MERGE INTO t.big b USING t.big o ON b.id = o.id WHEN MATCHED THEN DELETE',
      'A change of about 2,000 rows',
    ],
  ])('%s', (statement, action) => {
    it('is refused on a large table, which stays as it is', async () => {
      const objects = await database.readObjects();
      const rows = await database.readRows(['t.big', 't.other']);
      const table = statement.includes('t.big_view') ? 't.big_view' : 't.big';
      await expect(migrate([changing([statement])])).rejects.toThrow(
        `0001_change: ${action} may lock ${table}, which has about 2,000 rows, for long. Instead: `,
      );
      expect(await database.readObjects()).toEqual(objects);
      expect(await database.readRows(['t.big', 't.other'])).toEqual(rows);
    });

    it('runs on a small table', async () => {
      await migrate([
        changing([statement.replaceAll('t.big', 't.small').replace(' big_pkey', ' small_pkey')]),
      ]);
    });
  });

  it.each([
    'ALTER TABLE t.big ADD n int',
    'ALTER TABLE t.big ADD n int NOT NULL DEFAULT 7',
    'ALTER TABLE t.big ADD at timestamptz DEFAULT now()',
    'ALTER TABLE t.big ADD n int GENERATED ALWAYS AS (id) VIRTUAL',
    'ALTER TABLE t.big ADD n int REFERENCES t.other',
    'ALTER TABLE t.big ADD CHECK (id > 0) NOT VALID',
    'ALTER TABLE t.big ADD FOREIGN KEY (parent) REFERENCES t.other NOT VALID',
    'ALTER TABLE t.big DROP note, ALTER parent SET DEFAULT 1',
    "UPDATE t.big SET note = 'x' WHERE id = 5",
    'CREATE TABLE t.new AS SELECT * FROM t.big; CREATE INDEX ON t.new (id); UPDATE t.new SET id = id',
    'CREATE INDEX ON t.parts_1 (id)',
    'CREATE INDEX ON ONLY t.parts (id)',
    'CREATE INDEX whole ON ONLY t.parts (id); CREATE INDEX part ON t.parts_1 (id); ALTER INDEX t.whole ATTACH PARTITION t.part',
    'CREATE FUNCTION t.empty() RETURNS void BEGIN ATOMIC DELETE FROM t.big; END',
  ])('lets %s run', async (statement) => {
    expect(await migrate([changing([statement])])).toEqual(['0001_change']);
  });

  it('counts the partitions of a table together', async () => {
    await expect(migrate([changing(['CREATE INDEX ON t.parts (id)'])])).rejects.toThrow('may lock t.parts,');
  });

  it('estimates the rows of a table that was never analysed', async () => {
    await database.owner.query(
      'CREATE TABLE t.restored WITH (autovacuum_enabled = off) AS SELECT i FROM generate_series(1, 20000) i',
    );
    await expect(migrate([changing(['CREATE INDEX ON t.restored (i)'])])).rejects.toThrow(
      'may lock t.restored',
    );
  });

  it('counts bytes, too', async () => {
    const largeTables = { rows: 1e9, bytes: 2 ** 16 };
    await expect(migrate([changing(['REINDEX TABLE t.big'])], { largeTables })).rejects.toThrow(
      'may lock t.big',
    );
    await migrate([changing(['REINDEX TABLE t.small'])], { largeTables });
  });

  it('refuses blocks of code as soon as there is a large table', async () => {
    const block = changing(['DO $$ BEGIN END $$']);
    await expect(migrate([block])).rejects.toThrow(
      'A block of code, which this check cannot look into, may lock',
    );
    await migrate([block], { largeTables: { rows: 3_000, bytes: 2 ** 30 } });
  });

  it('lets CONCURRENTLY run without a transaction', async () => {
    const statements = `
      DROP INDEX CONCURRENTLY IF EXISTS t.big_note;
      CREATE UNIQUE INDEX CONCURRENTLY big_note ON t.big (note);
      REINDEX INDEX CONCURRENTLY t.big_note;
      ALTER TABLE t.big ADD CONSTRAINT notes UNIQUE USING INDEX big_note;
      VACUUM t.big`;
    expect(await migrate([changing([statements], 1, { transaction: false })])).toEqual(['0001_change']);
    await expect(database.owner.query("INSERT INTO t.big VALUES (0, '1')")).rejects.toThrow('notes');
  });

  it('refuses VACUUM FULL of a large table', async () => {
    const full = (table: string) => changing([`VACUUM FULL ${table}`], 1, { transaction: false });
    await expect(migrate([full('t.big')])).rejects.toThrow('VACUUM FULL may lock t.big');
    await expect(migrate([full('')])).rejects.toThrow('VACUUM FULL may lock');
    await migrate([full('t.small')]);
  });

  it('lets a column become NOT NULL in three migrations', async () => {
    await migrate([
      changing(['ALTER TABLE t.big ADD CONSTRAINT c CHECK (note IS NOT NULL) NOT VALID'], 1),
      changing(['ALTER TABLE t.big VALIDATE CONSTRAINT c'], 2),
      changing(['ALTER TABLE t.big ALTER note SET NOT NULL, DROP CONSTRAINT c'], 3),
    ]);
    await expect(database.owner.query('INSERT INTO t.big VALUES (0, NULL)')).rejects.toThrow('null value');
  });

  it('prints the reason of a migration that accepts the lock', async () => {
    await migrate([
      changing(['CREATE INDEX big_note ON t.big (note)'], 1, { acceptedLock: 'Nobody uses it.' }),
    ]);
    expect(log).toEqual([
      '0001_change: CREATE INDEX without CONCURRENTLY may lock t.big, which has about 2,000 rows, for long. Instead: ' +
        'CREATE INDEX CONCURRENTLY in a migration without a transaction. Accepted: Nobody uses it.',
    ]);
  });
});

describe('the migrations of the product', () => {
  it('run on a database in which every table is large, and change a row at a time', async () => {
    const database = await DatabaseBefore.create('0035_rollup_periods');
    try {
      await database.owner.query(`
        INSERT INTO accounts.accounts (id, email, role) VALUES ('a', 'a@example.com', 'admin'), ('c', 'c@example.com', 'user');
        INSERT INTO accounts.totp (account_id, sealed_secret, enabled_at) VALUES ('a', 'x', now()), ('c', 'x', now());
        INSERT INTO accounts.sessions (id, account_id, expires_at) VALUES ('of-admin', 'a', now()), ('of-customer', 'c', now())`);
      expect(await database.migrateUp(Infinity, { largeTables: { rows: 2, bytes: 0 } })).not.toEqual([]);
      const { rows } = await database.owner.query(
        'SELECT id, second_factor FROM accounts.sessions ORDER BY id',
      );
      expect(rows).toEqual([
        { id: 'of-admin', second_factor: 'totp' },
        { id: 'of-customer', second_factor: null },
      ]);
    } finally {
      await database.drop();
    }
  });
});
