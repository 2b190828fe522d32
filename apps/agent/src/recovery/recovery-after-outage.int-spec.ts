import { newId } from '@inference/database';
import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../entities';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { type TurnRunner } from '../turns/turn-runner';
import { TurnRecoveryJob } from './turn-recovery.job';

let database: TestDatabase;
let pool: TestPool;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  const options = { url: database.urlFor('agent'), applicationName: 'test', size: 2 };
  pool = await TestPool.withEntities(options, ENTITIES);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

test('after an outage of the database no turn is ended before every replica had the time to send a heartbeat', async () => {
  const { accountId, apiKeyId } = await insertAccount(database.pool);
  const [id, turnId] = [newId('sess'), newId('turn')];
  await pool.query('INSERT INTO agent.sessions (id, account_id) VALUES ($1, $2)', [id, accountId]);
  await pool.query(
    `INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner) VALUES ($1, $2, 1, $3, 'running', 'rep_away')`,
    [turnId, id, apiKeyId],
  );
  const runner = { runningTurns: [], lose: () => undefined };
  const heartbeat = new ReplicaHeartbeat(pool, { ttlSeconds: 20 });
  const recovery = new TurnRecoveryJob(pool, heartbeat, runner as unknown as TurnRunner);
  await heartbeat.onApplicationBootstrap();
  await recovery.run();
  const { rows } = await pool.query<{ status: string }>('SELECT status FROM agent.turns WHERE id = $1', [
    turnId,
  ]);
  expect(rows).toEqual([{ status: 'running' }]);
  await heartbeat.stop();
  await heartbeat.leave();
  expect((await pool.query('SELECT FROM agent.replicas')).rowCount).toBe(0);
});
