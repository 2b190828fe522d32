import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { createPool } from './pool';

/** The production command, as a process of its own: Jest cannot load node-pg-migrate, which is an ES module. */
const MIGRATE = join(__dirname, '../../../dist/libs/database/src/migrate.js');
const MIGRATIONS = readdirSync(join(__dirname, 'migrations')).sort();

describe('migrate', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  async function migrate(environment: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [MIGRATE], {
        env: { PATH: process.env.PATH, ...environment },
      });
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: stdout + stderr };
    }
  }

  async function inNewDatabase(work: (url: string) => Promise<void>): Promise<void> {
    const url = new URL(database.ownerUrl);
    url.pathname = `${url.pathname}_empty`;
    const name = url.pathname.slice(1);
    await database.pool.query(`CREATE DATABASE ${name}`);
    try {
      await work(url.href);
    } finally {
      await database.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  }

  it('migrates an empty database once when several hosts run it at the same time', async () => {
    await inNewDatabase(async (url) => {
      const results = await Promise.all([1, 2, 3].map(() => migrate({ DATABASE_URL: url })));
      expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
      const outputs = results.map(({ output }) => output.trim()).sort();
      const names = MIGRATIONS.map((file) => file.replace(/\.sql$/, '')).join(', ');
      expect(outputs).toEqual([`Applied ${names}.`, 'Nothing to migrate.', 'Nothing to migrate.']);

      const pool = createPool({ url, applicationName: 'test', size: 1 });
      const { rows } = await pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
      await pool.end();
      expect(rows.map(({ name }) => `${name}.sql`)).toEqual(MIGRATIONS);
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
