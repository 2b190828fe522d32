import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, rememberSecret, type TestDatabase, waitFor } from '@inference/testing';
import { createPool, type SqlPool } from './pool';

const BUILT = join(__dirname, '../../../dist/libs/database/src');
/** The production command. */
const MIGRATE = join(BUILT, 'migrate.js');
const NAMES = readdirSync(join(__dirname, 'migrations'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

/** Runs migrations that the product does not have: their statements are the arguments after the URL. */
const RUN_STATEMENTS = `
  const { MigrationRunner } = require('${join(BUILT, 'migration-runner/migration-runner.js')}');
  const [url, ...statements] = process.argv.slice(1);
  const migrations = statements.map((statement, index) => {
    const name = 'Change' + String(index + 1).padStart(13, '0');
    return { [name]: class { transaction = false; up(runner) { return runner.query(statement); } } }[name];
  });
  MigrationRunner.use(url, { migrations, baseline: [], functions: [] }, (runner) => runner.up()).then((names) => console.log(names.join()));`;

/** A process that has asked for the advisory lock and will ask again. */
const WAITS = "query LIKE '%advisory_lock%'";

/** Waits until a process that migrates is in each of the states at the same time. */
async function waitForConnections(pool: SqlPool, states: string[]): Promise<void> {
  const counts = states.map((state) => `count(*) FILTER (WHERE ${state}) = 1`).join(' AND ');
  await waitFor(async () => {
    const { rows } = await pool.query<{ met: boolean }>(
      `SELECT ${counts} AS met FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'migrate'`,
    );
    return rows[0]?.met;
  });
}

describe('migrate', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  async function migrate(
    environment: NodeJS.ProcessEnv,
    args: string[] = [],
  ): Promise<{ code: number; output: string }> {
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [MIGRATE, ...args], {
        env: { PATH: process.env.PATH, ...environment },
      });
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: stdout + stderr };
    }
  }

  async function inNewDatabase(work: (url: string, pool: SqlPool) => Promise<void>): Promise<void> {
    const url = new URL(database.ownerUrl);
    url.pathname = `${url.pathname}_empty`;
    const name = url.pathname.slice(1);
    await database.pool.query(`CREATE DATABASE ${name}`);
    const pool = createPool({ url: url.href, applicationName: 'test', size: 2 });
    try {
      await work(url.href, pool);
    } finally {
      await pool.end();
      await database.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  }

  it('migrates an empty database once when several hosts run it at the same time', async () => {
    await inNewDatabase(async (url, pool) => {
      const results = await Promise.all([1, 2, 3].map(() => migrate({ DATABASE_URL: url })));
      expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
      const outputs = results.map(({ output }) => output.trim()).sort();
      expect(outputs).toEqual([
        `Applied baseline, ${NAMES.join(', ')}.`,
        'Nothing to migrate.',
        'Nothing to migrate.',
      ]);

      const { rows } = await pool.query('SELECT timestamp FROM schema_migrations ORDER BY id');
      const newest = Number(NAMES.at(-1)?.slice(0, 4));
      expect(rows).toEqual(Array.from({ length: newest }, (_, index) => ({ timestamp: BigInt(index + 1) })));
    });
  });

  it('goes on after a host that was killed while it migrated', async () => {
    await inNewDatabase(async (url, pool) => {
      const arguments_ = ['--eval', RUN_STATEMENTS, url, 'SELECT pg_sleep(600)'];
      const host = spawn(process.execPath, arguments_, { stdio: 'inherit' });
      const ended = once(host, 'exit');
      await waitForConnections(pool, ["query LIKE '%pg_sleep%'"]);
      const waiting = migrate({ DATABASE_URL: url });
      await waitForConnections(pool, ["query LIKE '%pg_sleep%'", WAITS]);
      host.kill('SIGKILL');
      await ended;
      expect(await waiting).toEqual({ code: 0, output: `Applied baseline, ${NAMES.join(', ')}.\n` });
    });
  });

  it('leaves the schema of the next version as it is, and refuses that of the one after', async () => {
    await inNewDatabase(async (url, pool) => {
      expect(await migrate({ DATABASE_URL: url })).toMatchObject({ code: 0 });
      await pool.query(
        "INSERT INTO schema_migrations (timestamp, name) VALUES (9999, 'NextVersion0000000009999')",
      );
      await pool.query('UPDATE schema_compatibility SET oldest_version = $1', [NAMES.at(-1)]);
      expect(await migrate({ DATABASE_URL: url })).toEqual({
        code: 0,
        output:
          'Nothing to migrate: a newer version has applied 9999_next_version. This version works on its schema.\n',
      });
      const { rows } = await pool.query('SELECT oldest_version FROM schema_compatibility');
      expect(rows).toEqual([{ oldest_version: NAMES.at(-1) }]);

      await pool.query("UPDATE schema_compatibility SET oldest_version = '9999_next_version'");
      const refused = await migrate({ DATABASE_URL: url });
      expect(refused.code).toBe(1);
      expect(refused.output).toContain('The database has the migration 9999_next_version');
      expect(refused.output).toContain('install a newer version');
    });
  });

  it('builds an index concurrently while another host waits', async () => {
    await inNewDatabase(async (url, pool) => {
      await pool.query('CREATE TABLE public.a (n integer)');
      const writer = await pool.connect();
      await writer.query('BEGIN; INSERT INTO a VALUES (1)');
      const run = () =>
        promisify(execFile)(process.execPath, [
          '--eval',
          RUN_STATEMENTS,
          url,
          'CREATE INDEX CONCURRENTLY ON a (n)',
        ]);
      const hosts = Promise.all([run(), run()]);
      await waitForConnections(pool, ["query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'", WAITS]);
      await writer.query('COMMIT');
      writer.release();
      expect((await hosts).map(({ stdout }) => stdout).sort()).toEqual(['\n', '0001_change\n']);
    });
  });

  it('reverts the newest migration if it is named', async () => {
    await inNewDatabase(async (url) => {
      await migrate({ DATABASE_URL: url });
      const newest = NAMES.at(-1) ?? '';
      const other = await migrate({ DATABASE_URL: url }, ['--down', '0001_roles']);
      const error = `Only the newest migration of the database can be reverted: ${newest}.\n`;
      expect(other).toEqual({ code: 1, output: error });
      const reverted = await migrate({ DATABASE_URL: url }, ['--down', newest]);
      expect(reverted).toEqual({ code: 0, output: `Reverted ${newest}.\n` });
      expect((await migrate({ DATABASE_URL: url }, ['--down'])).code).toBe(1);
      expect(await migrate({ DATABASE_URL: url })).toEqual({ code: 0, output: `Applied ${newest}.\n` });
    });
  });

  it('changes nothing on the second run, and services can connect with their passwords', async () => {
    const { password } = new URL(database.urlFor('memo'));
    const result = await migrate({ DATABASE_URL: database.ownerUrl, MEMO_DATABASE_PASSWORD: password });
    expect(result).toEqual({ code: 0, output: 'Nothing to migrate.\n' });
    const pool = createPool({ url: database.urlFor('memo'), applicationName: 'test', size: 1 });
    expect((await pool.query('SELECT current_user AS me')).rows).toEqual([{ me: 'memo' }]);
    await pool.end();
  });

  it('makes a second login whose sessions have the role of the service', async () => {
    const password = 'the password of the second login of memo';
    rememberSecret(password);
    const variables = { DATABASE_URL: database.ownerUrl, MEMO_2_DATABASE_PASSWORD: password };
    try {
      // The second run changes the password of a login that exists.
      for (const run of [1, 2]) expect([run, (await migrate(variables)).code]).toEqual([run, 0]);
      const url = new URL(database.urlFor('memo'));
      Object.assign(url, { username: 'memo_2', password });
      const pool = createPool({ url: url.href, applicationName: 'test', size: 1 });
      const { rows } = await pool.query(
        `SELECT session_user AS login, current_user AS role, has_table_privilege('memo.keys', 'DELETE') AS own,
           has_schema_privilege('wallet', 'USAGE') AS foreign`,
      );
      expect(rows).toEqual([{ login: 'memo_2', role: 'memo', own: true, foreign: false }]);
      await pool.end();
    } finally {
      await database.pool.query('DROP ROLE IF EXISTS memo_2');
    }
  });

  it('names every invalid variable and exits with 1', async () => {
    const { code, output } = await migrate({ MEMO_DATABASE_PASSWORD: 'short' });
    expect(code).toBe(1);
    expect(output).toMatch(/DATABASE_URL: is missing\n.*MEMO_DATABASE_PASSWORD: must have at least 32/);
    expect(output).not.toContain('short\n');
  });

  it('exits with 1 when the database cannot be reached', async () => {
    const { code, output } = await migrate({ DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(output).toMatch(/ECONNREFUSED/);
    expect(output).not.toContain('hunter2');
  });
});
