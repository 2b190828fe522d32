import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { createPool, type SqlPool } from './pool';

const FOLDER = join(__dirname, 'migrations');

/** Jest cannot load node-pg-migrate, which is an ES module. */
const RUN_MIGRATIONS = `
  const { runner } = await import('node-pg-migrate');
  const [databaseUrl, dir, direction, count] = process.argv.slice(1);
  await runner({ databaseUrl, dir, direction, count: Number(count), migrationsTable: 'migrations', log() {} });`;

/** Names, definitions and privileges of everything in the schemas of the product. */
const SCHEMA_OBJECTS = `
  WITH schemas AS (
    SELECT oid, nspname AS schema FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)'
  ), relations AS (SELECT c.*, schema FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace)
  SELECT concat_ws(' ', schema, relname, relkind, relacl, attname, format_type(atttypid, atttypmod), attnotnull, attacl) AS object
  FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid WHERE attnum > 0 AND NOT attisdropped AND relkind <> 'i'
  UNION ALL SELECT pg_get_indexdef(oid) FROM relations WHERE relkind IN ('i', 'I')
  UNION ALL SELECT concat_ws(' ', schema, relname, conname, pg_get_constraintdef(c.oid))
  FROM relations r JOIN pg_constraint c ON c.conrelid = r.oid
  UNION ALL SELECT pg_get_triggerdef(t.oid) FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT tgisinternal
  UNION ALL SELECT concat_ws(' ', proacl, pg_get_functiondef(p.oid)) FROM pg_proc p JOIN schemas s ON s.oid = pronamespace
  ORDER BY 1`;

/** A database that has the migrations before a given one, to be filled and migrated further. */
export class DatabaseBefore {
  private constructor(
    private readonly server: TestDatabase,
    private readonly url: string,
    /** Connected as the owner. */
    readonly owner: SqlPool,
  ) {}

  /** @param migration such as `0016_plain_names` */
  static async create(migration: string): Promise<DatabaseBefore> {
    const server = await createTestDatabase();
    const url = new URL(server.ownerUrl);
    url.pathname = `${url.pathname}_before`;
    await server.pool.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
    const owner = createPool({ url: url.href, applicationName: 'test', size: 1 });
    const database = new DatabaseBefore(server, url.href, owner);
    await database.migrate('up', readdirSync(FOLDER).sort().indexOf(`${migration}.sql`));
    return database;
  }

  async migrate(direction: 'up' | 'down', count: number): Promise<void> {
    const args = [
      '--input-type=module',
      '--eval',
      RUN_MIGRATIONS,
      this.url,
      FOLDER,
      direction,
      String(count),
    ];
    await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH } });
  }

  async readObjects(): Promise<string[]> {
    const { rows } = await this.owner.query<{ object: string }>(SCHEMA_OBJECTS);
    return rows.map(({ object }) => object);
  }

  /** Returns the rows of each table as text. */
  async readRows(tables: string[]): Promise<string[][]> {
    const contents: string[][] = [];
    for (const table of tables) {
      const { rows } = await this.owner.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t ORDER BY 1`,
      );
      contents.push(rows.map(({ row }) => row));
    }
    return contents;
  }

  /** Returns the result of a statement of the role, which is rolled back. */
  async queryAs(role: string, statement: string): Promise<unknown[]> {
    const client = await this.owner.connect();
    try {
      await client.query(`BEGIN; SET LOCAL ROLE ${role}`);
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  async drop(): Promise<void> {
    await this.owner.end();
    await this.server.pool.query(`DROP DATABASE ${new URL(this.url).pathname.slice(1)} WITH (FORCE)`);
    await this.server.drop();
  }
}
