import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { MIGRATIONS } from './migration-runner/migration-list';
import { describeMigration } from './migration';
import { MigrationRunner, type MigrationSettings } from './migration-runner/migration-runner';
import { createPool, type SqlPool } from './pool';

const NAMES = MIGRATIONS.map(({ name }) => describeMigration(name).name);

/** Names, definitions and privileges of everything in the schemas of the product, and of the schema public itself. */
const SCHEMA_OBJECTS = `
  WITH schemas AS (
    SELECT oid, nspname AS schema, nspacl FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'
  ), relations AS (
    SELECT c.*, schema FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace WHERE schema <> 'public'
  ), objects (object) AS (
    SELECT ROW('schema', schema, nspacl) FROM schemas
    UNION ALL SELECT ROW('relation', schema, relname, relkind, relpersistence, relacl, reloptions, relrowsecurity,
      pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END)
    FROM relations
    UNION ALL SELECT ROW('column', schema, relname, attname, format_type(atttypid, atttypmod), attcollation::regcollation,
      attnotnull, attidentity, attgenerated, attstorage, attacl, pg_get_expr(d.adbin, d.adrelid))
    FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
    LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
    WHERE attnum > 0 AND NOT attisdropped AND relkind <> 'i'
    UNION ALL SELECT ROW('index', pg_get_indexdef(oid)) FROM relations WHERE relkind IN ('i', 'I')
    UNION ALL SELECT ROW('constraint', schema, relname, conname, pg_get_constraintdef(c.oid))
    FROM relations r JOIN pg_constraint c ON c.conrelid = r.oid
    UNION ALL SELECT ROW('trigger', tgenabled, pg_get_triggerdef(t.oid))
    FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT tgisinternal
    UNION ALL SELECT ROW('policy', schema, relname, polname, polcmd, polroles::regrole[],
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    FROM relations r JOIN pg_policy p ON p.polrelid = r.oid
    UNION ALL SELECT ROW('sequence', schema, relname, seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle)
    FROM relations r JOIN pg_sequence s ON s.seqrelid = r.oid
    UNION ALL SELECT ROW('function', proacl, pg_get_functiondef(p.oid)) FROM pg_proc p JOIN schemas s ON s.oid = pronamespace
    UNION ALL SELECT ROW('type', schema, typname, typtype, typacl,
      (SELECT array_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
    FROM pg_type t JOIN schemas s ON s.oid = typnamespace WHERE schema <> 'public'
    UNION ALL SELECT ROW('comment', o.type, o.identity, description)
    FROM pg_description d, LATERAL pg_identify_object(classoid, objoid, objsubid) o JOIN schemas s ON s.schema = o.schema
  )
  SELECT object::text FROM objects ORDER BY 1`;

/** A database that has the baseline and the migrations before a given one, to be filled and migrated further. */
export class DatabaseBefore {
  private constructor(
    private readonly server: TestDatabase,
    /** Of the owner. */
    readonly url: string,
    /** Connected as the owner. */
    readonly owner: SqlPool,
  ) {}

  static async createEmpty(): Promise<DatabaseBefore> {
    const server = await createTestDatabase();
    const url = new URL(server.ownerUrl);
    url.pathname = `${url.pathname}_before`;
    await server.pool.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
    const owner = createPool({ url: url.href, applicationName: 'test', size: 1 });
    return new DatabaseBefore(server, url.href, owner);
  }

  /** @param migration such as `0036_archived_days` */
  static async create(migration: string): Promise<DatabaseBefore> {
    const database = await DatabaseBefore.createEmpty();
    await database.migrateUp(NAMES.indexOf(migration));
    return database;
  }

  /** Applies the next migrations and returns their names. */
  migrateUp(count = 1, settings: Partial<MigrationSettings> = {}): Promise<string[]> {
    return MigrationRunner.use(this.url, settings, (migrations) => migrations.up(count));
  }

  migrateDown(migration: string, settings: Partial<MigrationSettings> = {}): Promise<void> {
    return MigrationRunner.use(this.url, settings, (migrations) => migrations.down(migration));
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
