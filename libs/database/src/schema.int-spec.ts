import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { DataSource } from 'typeorm';
import { PostgresNamingStrategy } from './entities/naming-strategy';

const ROOT = join(__dirname, '../../..');

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** TypeORM reads the expressions of generated columns from a table of its own, which this product does not need. */
async function describeGeneratedColumns(): Promise<void> {
  await database.pool.query(
    'CREATE TABLE public.typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)',
  );
  await database.pool.query(
    `INSERT INTO public.typeorm_metadata
     SELECT 'GENERATED_COLUMN', current_database(), table_schema, table_name, column_name,
       trim(regexp_replace(generation_expression, '\\s+', ' ', 'g'))
     FROM information_schema.columns WHERE is_generated = 'ALWAYS'`,
  );
}

it('is what the entities describe', async () => {
  await describeGeneratedColumns();
  const source = new DataSource({
    type: 'postgres',
    url: database.ownerUrl,
    entities: [join(ROOT, '{apps,libs}/*/src/**/*.entity.ts')],
    namingStrategy: new PostgresNamingStrategy(),
  });
  await source.initialize();
  expect(source.entityMetadatas.length).toBeGreaterThan(60);
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  await source.destroy();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});
