import { Logger } from '@nestjs/common';
import { JOB_SCHEMAS } from '@inference/database';
import { Metrics } from '@inference/http';
import { createTestDatabase, type TestDatabase, TestPool, valueOf, waitFor } from '@inference/testing';
import { BackgroundJobs } from './background-jobs';
import { JobMetrics } from './job-metrics';

const SCHEMA = JOB_SCHEMAS.console;

let database: TestDatabase;
let pool: TestPool;

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
  pool = TestPool.of({ url: database.urlFor('console'), applicationName: 'job metrics', size: 2 });
});
afterEach(() => database.pool.query(`DELETE FROM ${SCHEMA}._private_jobs`));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const addJob = (task: string, runAt: string) =>
  database.pool.query(
    `SELECT FROM ${SCHEMA}.add_job($1, '{"id": "a"}', run_at := now() + $2::interval, max_attempts := 1)`,
    [task, runAt],
  );

it('counts the jobs that could run, and not those that are due later, run or are over', async () => {
  const metrics = new Metrics();
  new JobMetrics(pool, metrics, SCHEMA);
  for (const [task, runAt] of [
    ['waiting', '-1 hour'],
    ['waiting', '-1 minute'],
    ['later', '1 hour'],
    ['over', '-1 hour'],
    ['running', '-1 hour'],
  ] as const)
    await addJob(task, runAt);
  await database.pool.query(
    `UPDATE ${SCHEMA}._private_jobs j SET attempts = CASE t.identifier WHEN 'over' THEN 1 ELSE 0 END,
       locked_at = CASE t.identifier WHEN 'running' THEN now() END
     FROM ${SCHEMA}._private_tasks t WHERE t.id = j.task_id`,
  );
  const text = await metrics.registry.metrics();
  const ready = (task: string) => valueOf(text, `job_queue_ready_jobs{task="${task}"}`);
  expect([ready('waiting'), ready('later'), ready('over'), ready('running')]).toEqual([2, 0, 0, 0]);
  const oldest = valueOf(text, 'job_queue_oldest_ready_seconds{task="waiting"}');
  expect(oldest).toBeGreaterThanOrEqual(3_600);
  expect(oldest).toBeLessThan(4_600);
  expect(valueOf(text, 'job_queue_oldest_ready_seconds{task="later"}')).toBe(0);
});

it('counts runs and failures, by whether the queue repeats them', async () => {
  const metrics = new Metrics();
  const jobs = new BackgroundJobs({
    databaseUrl: database.urlFor('console'),
    schema: SCHEMA,
    applicationName: 'job metrics',
    metrics: new JobMetrics(pool, metrics, SCHEMA),
  });
  const unavailable = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  jobs.processRows(
    {
      succeeds: () => Promise.resolve(),
      fails: () => Promise.reject(new Error('a bad row')),
      'gives-up': unavailable,
      repeats: unavailable,
    },
    1,
  );
  jobs.onApplicationBootstrap();
  const has = async (...series: [string, number][]) => {
    const text = await metrics.registry.metrics();
    return series.every(([name, value]) => valueOf(text, name) === value);
  };
  await waitFor(() => has(['job_runs_total{task="fails"}', 0]));
  expect(await has(['job_failures_total{task="fails",retried="false"}', 0])).toBe(true);
  for (const task of ['succeeds', 'fails', 'gives-up']) await addJob(task, '0');
  await database.pool.query(`SELECT FROM ${SCHEMA}.add_job('repeats', '{"id": "a"}', max_attempts := 20)`);
  await waitFor(() =>
    has(
      ['job_runs_total{task="succeeds"}', 1],
      ['job_failures_total{task="succeeds",retried="false"}', 0],
      ['job_runs_total{task="fails"}', 1],
      ['job_failures_total{task="fails",retried="false"}', 1],
      ['job_failures_total{task="gives-up",retried="false"}', 1],
      ['job_failures_total{task="gives-up",retried="true"}', 0],
      ['job_failures_total{task="repeats",retried="true"}', 1],
      ['job_failures_total{task="repeats",retried="false"}', 0],
    ),
  );
  jobs.onModuleDestroy();
  await jobs.onApplicationShutdown();
});

it('leaves the queue out while the database is away, and serves the runs', async () => {
  const url = 'postgres://console:none@127.0.0.1:1/none';
  const away = TestPool.of({ url, applicationName: 'away', size: 1 });
  const metrics = new Metrics();
  const jobs = new BackgroundJobs({
    databaseUrl: url,
    schema: SCHEMA,
    applicationName: 'away',
    metrics: new JobMetrics(away, metrics, SCHEMA),
  });
  jobs.processRows({ any: () => Promise.resolve() }, 1);
  jobs.onApplicationBootstrap();
  const text = await metrics.registry.metrics();
  jobs.onModuleDestroy();
  await jobs.onApplicationShutdown();
  await away.end();
  expect(text).not.toMatch(/^job_queue_ready_jobs{/m);
  expect(valueOf(text, 'job_runs_total{task="any"}')).toBe(0);
});
