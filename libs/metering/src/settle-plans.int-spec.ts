import { createTestDatabase, type TestDatabase } from '@inference/testing';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

test('metering.settle keeps its plans, which CREATE OR REPLACE without the setting would undo', async () => {
  const { rows } = await database.pool.query(
    `SELECT 'plan_cache_mode=force_generic_plan' = ANY (proconfig) AS kept
     FROM pg_proc WHERE oid = 'metering.settle(text, jsonb)'::regprocedure`,
  );
  expect(rows).toEqual([{ kept: true }]);
});
