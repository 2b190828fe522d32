import { createPool, newId, type SqlPool } from '@inference/database';
import { createTestDatabase, insertAccount, type TestDatabase } from '@inference/testing';
import { type AgentConfig } from '../config';
import { Replica } from './replica';
import { type TurnRunner } from './turn-runner';

let database: TestDatabase;
let pool: SqlPool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.urlFor('agent'), applicationName: 'test', size: 2 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test('who was out of touch itself ends nobody’s turns before everyone had the time to come back', async () => {
  const { accountId, apiKeyId } = await insertAccount(database.pool);
  const [id, turnId] = [newId('sess'), newId('turn')];
  await pool.query('INSERT INTO agent.sessions (id, account_id) VALUES ($1, $2)', [id, accountId]);
  await pool.query(
    `INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner) VALUES ($1, $2, 1, $3, 'running', 'rep_away')`,
    [turnId, id, apiKeyId],
  );
  const runner = { replicaId: 'rep_back', runningTurns: [], lose: () => undefined };
  const config = { REPLICA_TTL_SECONDS: 20 } as AgentConfig;
  const replica = new Replica(pool, pool, config, runner as unknown as TurnRunner);
  await replica.onApplicationBootstrap();
  const { rows } = await pool.query<{ status: string }>('SELECT status FROM agent.turns WHERE id = $1', [
    turnId,
  ]);
  expect(rows).toEqual([{ status: 'running' }]);
  await replica.leave();
  expect((await pool.query('SELECT FROM agent.replicas')).rowCount).toBe(0);
});
