import { createTestDatabase, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../entities';
import { deleteDeadReplicas, deleteReplica, renewReplica } from './replicas.repository';

let database: TestDatabase;
let pool: TestPool;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  const options = { url: database.urlFor('agent'), applicationName: 'test', size: 1 };
  pool = await TestPool.withEntities(options, ENTITIES);
});
beforeEach(() => pool.query('DELETE FROM agent.replicas'));
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function listed(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM agent.replicas ORDER BY id');
  return rows.map(({ id }) => id);
}

test('entries of replicas are deleted an hour after they have expired', async () => {
  await renewReplica(pool, 'rep_lives', 12);
  await renewReplica(pool, 'rep_dead', -3540);
  await renewReplica(pool, 'rep_long_dead', -3601);
  await deleteDeadReplicas(pool);
  expect(await listed()).toEqual(['rep_dead', 'rep_lives']);
});

test('a heartbeat extends the entry of its replica', async () => {
  await renewReplica(pool, 'rep_a', -3601);
  await renewReplica(pool, 'rep_a', 12);
  await deleteDeadReplicas(pool);
  expect(await listed()).toEqual(['rep_a']);
});

test('a replica that leaves is deleted alone', async () => {
  for (const id of ['rep_a', 'rep_b']) await renewReplica(pool, id, 12);
  await deleteReplica(pool, 'rep_a');
  expect(await listed()).toEqual(['rep_b']);
});
