import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type ServiceRole, type TestDatabase } from '@inference/testing';
import { DataSource } from 'typeorm';
import { type EntityClass, PostgresNamingStrategy } from '../data-source';
import { BEYOND_ENTITIES } from './beyond-entities.fixture';
import { readCatalogue, readGrants, readObjects } from './catalogue.fixture';

const ROOT = join(__dirname, '../../../..');
const ENTITY_FILES = ['apps', 'libs'].flatMap((area) =>
  readdirSync(join(ROOT, area), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/src\/.*\.entity\.ts$/.test(file))
    .map((file) => join(area, file)),
);
const APPS: Record<ServiceRole, string> = {
  agent: 'agent',
  console: 'console',
  gateway: 'gateway',
  memo: 'memo',
  router_cost: 'router-cost',
  training: 'training',
};

let migrated: TestDatabase;

beforeAll(async () => {
  migrated = await createTestDatabase();
});
afterAll(() => migrated.drop());

/** @param files relative to the repository, of which the exported classes are taken, also those in lists */
async function describeEntities(url: string, files: string[]): Promise<DataSource> {
  const exported = files.flatMap((file) =>
    Object.values(jest.requireActual<Record<string, unknown>>(join(ROOT, file))),
  );
  return new DataSource({
    type: 'postgres',
    url,
    entities: exported.flat().filter((value): value is EntityClass => typeof value === 'function'),
    namingStrategy: new PostgresNamingStrategy(),
  }).initialize();
}

/** TypeORM reads the expressions of generated columns from a table of its own, which the product does not need. */
async function describeGeneratedColumns(): Promise<void> {
  await migrated.pool.query(
    'CREATE TABLE public.typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)',
  );
  await migrated.pool.query(
    `INSERT INTO public.typeorm_metadata
     SELECT 'GENERATED_COLUMN', current_database(), table_schema, table_name, column_name,
       trim(regexp_replace(generation_expression, '\\s+', ' ', 'g'))
     FROM information_schema.columns WHERE is_generated = 'ALWAYS'`,
  );
}

describe('the entities', () => {
  it('leave nothing to change for the schema builder of TypeORM', async () => {
    await describeGeneratedColumns();
    const source = await describeEntities(migrated.ownerUrl, ENTITY_FILES);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    await migrated.pool.query('DROP TABLE public.typeorm_metadata');
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  // The schema builder compares neither the texts of checks nor the order, predicates and expressions of indexes.
  it('make the same tables, keys, checks and indexes as the migrations', async () => {
    const made = await createTestDatabase();
    const { schemas } = await readObjects(migrated.pool);
    for (const schema of schemas) {
      await made.pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await made.pool.query(`CREATE SCHEMA ${schema}`);
    }
    const source = await describeEntities(made.ownerUrl, ENTITY_FILES);
    await source.synchronize();
    await source.destroy();
    const expected = await readCatalogue(migrated.pool);
    const actual = await readCatalogue(made.pool);
    await made.drop();
    expect({
      missing: expected.filter((line) => !actual.includes(line)),
      added: actual.filter((line) => !expected.includes(line)),
    }).toEqual(BEYOND_ENTITIES.definitions);
  });

  it('say all of the schema but a written list', async () => {
    const { schemas: _compared, ...objects } = await readObjects(migrated.pool);
    expect(objects).toEqual(BEYOND_ENTITIES.objects);
    expect(await readGrants(migrated.pool, Object.keys(APPS))).toEqual(BEYOND_ENTITIES.grants);
  });

  it.each(Object.entries(APPS))('of %s have no column that its role may not read', async (role, app) => {
    const source = await describeEntities(migrated.ownerUrl, [`apps/${app}/src/entities.ts`]);
    const columns = source.entityMetadatas.flatMap((entity) =>
      entity.columns
        .filter(({ isVirtualProperty }) => !isVirtualProperty)
        .map(({ databaseName }) => [entity.tablePath, databaseName]),
    );
    await source.destroy();
    const { rows } = await migrated.pool.query<{ name: string }>(
      `SELECT t || '.' || c AS name FROM jsonb_to_recordset($2) AS mapped ("0" text, "1" text), LATERAL (SELECT "0", "1") AS m (t, c)
       WHERE NOT has_column_privilege($1, t, c, 'SELECT')`,
      [role, JSON.stringify(columns.map(([table, column]) => ({ 0: table, 1: column })))],
    );
    expect(columns.length).toBeGreaterThan(0);
    expect(rows.map(({ name }) => name)).toEqual([]);
  });
});
