import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { readFunctionFiles } from '../migration-runner/function-files';

/** The functions of the product's schemas, each with its triggers. */
const FUNCTIONS = `
  SELECT n.nspname || '/' || p.proname || '.sql' AS file, pg_get_functiondef(p.oid) AS definition, p.proacl::text AS grants,
    ARRAY(SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t
      WHERE t.tgfoid = p.oid AND NOT t.tgisinternal AND t.tgparentid = 0 ORDER BY 1) AS triggers
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname !~ '^(pg_|information_schema$|public$)' AND n.nspname !~ '_jobs$' ORDER BY 1`;

describe('the function files', () => {
  let database: TestDatabase;
  const files = readFunctionFiles();

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  const read = async () => (await database.pool.query<{ file: string }>(FUNCTIONS)).rows;

  it('hold every function of a migrated database', async () => {
    expect((await read()).map(({ file }) => file)).toEqual(files.map(({ name }) => name));
  });

  it('change nothing when they are installed again: definitions, grants and triggers', async () => {
    const migrated = await read();
    for (const { sql } of files) await database.pool.query(sql);
    expect(await read()).toEqual(migrated);
  });

  it('hold the triggers of the database, each beside its function', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE NOT tgisinternal AND tgparentid = 0 AND c.relnamespace::regnamespace::text !~ '_jobs$' ORDER BY 1`,
    );
    const created = files.flatMap(({ sql }) =>
      [...sql.matchAll(/CREATE OR REPLACE TRIGGER (\w+)/g)].map(([, name]) => name),
    );
    expect(rows.map(({ name }) => name)).toEqual(created.sort());
  });
});
