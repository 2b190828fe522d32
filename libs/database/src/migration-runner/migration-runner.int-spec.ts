import { waitFor } from '@inference/testing';
import { Client } from 'pg';
import { type QueryRunner } from 'typeorm';
import { DatabaseBefore } from '../database-before.fixture';
import { BASELINE, MigrationRunner, type MigrationSettings } from './migration-runner';
import { changing } from './change-migration.fixture';
import { type FunctionFile, readFunctionFiles } from './function-files';
import { describeMigration, type MigrationClass } from '../migration';
import { MIGRATIONS } from './migration-list';

const FIRST = changing(['CREATE TABLE public.a (n integer)'], 1);
const SECOND = changing(['CREATE TABLE public.b ()'], 2);
const THIRD = changing(['CREATE TABLE public.c ()'], 3);
const NAMES = MIGRATIONS.map(({ name }) => describeMigration(name).name);
const BASELINE_NAMES = BASELINE.map((name) => describeMigration(name).name);
/** Neither the baseline nor the functions of the product. */
const ALONE: Partial<MigrationSettings> = { baseline: [], functions: [] };
const SETTLE = readFunctionFiles().filter(({ name }) => name === 'metering/settle.sql');

describe('MigrationRunner', () => {
  let database: DatabaseBefore;
  let log: string[];

  beforeEach(async () => {
    database = await DatabaseBefore.createEmpty();
    log = [];
  });
  afterEach(() => database?.drop());

  const recorded = async (): Promise<string[]> => {
    const { rows } = await database.owner.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY id',
    );
    return rows.map(({ name }) => describeMigration(name).name);
  };

  const isRecorded = async (): Promise<boolean> => {
    const { rows } = await database.owner.query("SELECT to_regclass('public.schema_migrations') AS found");
    return rows[0]?.found !== null;
  };

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    return client;
  }

  function migrate(
    migrations: MigrationClass[],
    settings: Partial<MigrationSettings> = {},
  ): Promise<string[]> {
    return database.migrateUp(migrations.length, {
      ...ALONE,
      migrations,
      log: (line) => log.push(line),
      ...settings,
    });
  }

  /** Leaves the records of the migrations as earlier versions made them. */
  async function becomeFormer(names: string[]): Promise<void> {
    await database.owner.query(`
      DROP TABLE IF EXISTS schema_migrations;
      CREATE TABLE migrations (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL)`);
    for (const name of names)
      await database.owner.query('INSERT INTO migrations (name, run_on) VALUES ($1, now())', [name]);
  }

  describe('with a database of an earlier version', () => {
    it('goes on after the migrations of version 0.1.0, and changes none of its tables', async () => {
      await database.migrateUp(0);
      await becomeFormer(BASELINE_NAMES);
      await database.owner.query("INSERT INTO accounts.accounts (id, email) VALUES ('a', 'a@example.com')");
      expect(await database.migrateUp(NAMES.length, { functions: [] })).toEqual(NAMES);
      expect(await recorded()).toEqual([...BASELINE_NAMES, ...NAMES]);
      expect(await database.migrateUp(NAMES.length, { functions: [] })).toEqual([]);
      expect(await database.readRows(['accounts.accounts'])).toMatchObject([
        [expect.stringContaining('(a,')],
      ]);
    });

    it.each([1, 15, 33])('refuses one with %i migrations, and records nothing', async (count) => {
      await becomeFormer(BASELINE_NAMES.slice(0, count));
      await expect(database.migrateUp()).rejects.toThrow(
        `The newest migration of the database is ${BASELINE_NAMES[count - 1]}: upgrade to version 0.1.0 first.`,
      );
      expect(await isRecorded()).toBe(false);
    });

    it('refuses migrations that it does not know, and records nothing', async () => {
      await becomeFormer([...BASELINE_NAMES.slice(0, 2), '0003_other']);
      await expect(database.migrateUp()).rejects.toThrow(
        'The database has the migration 0003_other, which this version does not know: install a newer version.',
      );
      expect(await isRecorded()).toBe(false);
    });

    it('reverts its migrations for the earlier version, too', async () => {
      await migrate([FIRST, SECOND]);
      await becomeFormer(['0001_change', '0002_change']);
      await database.migrateDown('0002_change', { ...ALONE, migrations: [FIRST, SECOND] });
      const { rows } = await database.owner.query('SELECT name FROM migrations');
      expect(rows).toEqual([{ name: '0001_change' }]);
    });
  });

  describe('with function files', () => {
    const change = (sql: string): FunctionFile[] => [
      {
        name: 'a.sql',
        sql: `CREATE OR REPLACE FUNCTION public.a() RETURNS text LANGUAGE sql AS $$ ${sql} $$`,
        sha256: sql,
      },
    ];
    const call = async () => (await database.owner.query('SELECT public.a()')).rows[0];

    it('installs them after the last migration, and again when their text changes', async () => {
      const migrations = [FIRST, SECOND];
      await database.migrateUp(1, { ...ALONE, migrations, functions: change("SELECT 'one'") });
      await expect(call()).rejects.toThrow('does not exist');
      await database.migrateUp(1, { ...ALONE, migrations, functions: change("SELECT 'one'") });
      expect(await call()).toEqual({ a: 'one' });
      await database.migrateUp(1, { ...ALONE, migrations, functions: change("SELECT 'two'") });
      expect(await call()).toEqual({ a: 'two' });
    });

    it('leaves those whose text the database has', async () => {
      await migrate([FIRST], { functions: change("SELECT 'one'") });
      await database.owner.query(`${change("SELECT 'by hand'")[0]!.sql}`);
      await migrate([FIRST], { functions: change("SELECT 'one'") });
      expect(await call()).toEqual({ a: 'by hand' });
    });

    it('goes on with those that a killed process has not installed', async () => {
      const other = { name: 'b.sql', sql: 'CREATE FUNCTION public.b() RETURNS text', sha256: '' };
      await expect(migrate([FIRST], { functions: [...change('SELECT 1::text'), other] })).rejects.toThrow(
        'b.sql: ',
      );
      other.sql += " LANGUAGE sql AS $$ SELECT 'b' $$";
      await migrate([FIRST], { functions: [...change('SELECT 1::text'), other] });
      expect((await database.owner.query('SELECT public.b()')).rows).toEqual([{ b: 'b' }]);
    });

    it('are replaced while transactions use them', async () => {
      await database.migrateUp(NAMES.length, { functions: [] });
      const gateway = await connect();
      try {
        await gateway.query("BEGIN; SELECT metering.settle('s', '[]')");
        await database.migrateUp(0, { functions: SETTLE, attempts: 1, lockTimeoutMillis: 1_000 });
        await gateway.query("SELECT metering.settle('t', '[]'); COMMIT");
      } finally {
        await gateway.end();
      }
    });
  });

  it('refuses a database that a newer version has migrated', async () => {
    await migrate([FIRST, SECOND]);
    await expect(migrate([FIRST])).rejects.toThrow(
      'The database has the migration 0002_change, which this version does not know: install a newer version.',
    );
    await expect(database.migrateDown('0002_change', { ...ALONE, migrations: [FIRST] })).rejects.toThrow(
      'which this version does not know',
    );
  });

  describe('with a database that a newer version has migrated', () => {
    const findNewer = (migrations: MigrationClass[]) =>
      MigrationRunner.use(database.url, { ...ALONE, migrations }, (runner) => runner.findNewer());

    it('knows whether this version works on it', async () => {
      expect(await findNewer([FIRST])).toEqual([]);
      await migrate([FIRST], { newestOfPreviousVersion: '0000_before' });
      expect(await findNewer([FIRST])).toEqual([]);
      await migrate([FIRST, SECOND], { newestOfPreviousVersion: '0001_change' });
      expect(await findNewer([FIRST])).toEqual(['0002_change']);
      expect(await findNewer([FIRST, SECOND])).toEqual([]);
      // The version after the next one: it may have removed what the first one uses.
      await migrate([FIRST, SECOND, THIRD], { newestOfPreviousVersion: '0002_change' });
      expect(await findNewer([FIRST])).toEqual([]);
      expect(await findNewer([FIRST, SECOND])).toEqual(['0003_change']);
    });

    it('does not take other migrations for newer ones', async () => {
      await migrate([FIRST, THIRD], { newestOfPreviousVersion: '0001_change' });
      expect(await findNewer([FIRST, SECOND])).toEqual([]);
    });

    it('works on none of a version that does not say for which versions it is', async () => {
      await migrate([FIRST, SECOND], { newestOfPreviousVersion: '0001_change' });
      await database.owner.query('DROP TABLE schema_compatibility');
      expect(await findNewer([FIRST])).toEqual([]);
    });
  });

  it('refuses a migration that comes before an applied one', async () => {
    await migrate([FIRST, THIRD]);
    await expect(migrate([FIRST, SECOND, THIRD])).rejects.toThrow(
      'The database has the migration 0003_change, but not 0002_change, which comes before it.',
    );
  });

  it('reverts the newest migration only', async () => {
    const down = (name: string) => database.migrateDown(name, { ...ALONE, migrations: [FIRST, SECOND] });
    await migrate([FIRST, SECOND]);
    await expect(down('0001_change')).rejects.toThrow(
      'Only the newest migration of the database can be reverted: 0002_change.',
    );
    await down('0002_change');
    await down('0001_change');
    await expect(down('0001_change')).rejects.toThrow('The database has no migration.');
  });

  it('rolls a failed migration back, and keeps those before it', async () => {
    const secret = 424_242;
    class Divide0000000000002 extends SECOND {
      override async up(runner: QueryRunner): Promise<void> {
        await super.up(runner);
        await runner.query('SELECT 1 / ($1::integer - $1)', [secret]);
      }
    }
    const error: unknown = await migrate([FIRST, Divide0000000000002, THIRD]).catch((e: unknown) => e);
    // Without the parameters.
    expect((error as Error).message).toBe('0002_divide: division by zero');
    expect(await recorded()).toEqual(['0001_change']);
    await expect(database.owner.query('SELECT FROM b')).rejects.toThrow('does not exist');
  });

  it('tries a migration again until it gets the lock', async () => {
    await migrate([FIRST]);
    const holder = await connect();
    try {
      await holder.query('BEGIN; LOCK TABLE a IN ACCESS SHARE MODE');
      const waits = { attempts: 2, lockTimeoutMillis: 50, pauseMillis: 1 };
      const migrations = [FIRST, changing(['CREATE TABLE public.b ()', 'ALTER TABLE a ADD m integer'], 2)];
      await expect(migrate(migrations, waits)).rejects.toThrow(
        '0002_change: canceling statement due to lock timeout',
      );
      expect(log).toEqual(['0002_change waits for a lock that another transaction holds (attempt 1 of 2).']);
      const release = () => void holder.query('COMMIT');
      const applied = await migrate(migrations, { ...waits, attempts: 1_000, log: release });
      expect(applied).toEqual(['0002_change']);
    } finally {
      await holder.end();
    }
  });

  it('waits for transactions longer than for locks when it works concurrently', async () => {
    await migrate([FIRST]);
    const writer = await connect();
    try {
      await writer.query('BEGIN; INSERT INTO a DEFAULT VALUES');
      const indexing = changing(['CREATE INDEX CONCURRENTLY ON a (n)'], 2, { transaction: false });
      const migrated = migrate([FIRST, indexing], { lockTimeoutMillis: 50, attempts: 1 });
      await waitFor(async () => {
        const { rows } = await database.owner.query(
          `SELECT FROM pg_stat_activity
           WHERE query LIKE 'CREATE INDEX%' AND datname = current_database() AND query_start < now() - interval '200 ms'`,
        );
        return rows.length > 0;
      });
      await writer.query('COMMIT');
      expect(await migrated).toEqual(['0002_change']);
    } finally {
      await writer.end();
    }
  });
});
