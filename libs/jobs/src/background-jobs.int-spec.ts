import { Logger } from '@nestjs/common';
import { JOB_SCHEMAS } from '@inference/database';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { BackgroundJobs } from './background-jobs';

const SCHEMA = JOB_SCHEMAS.console;
const APPLICATION = 'background jobs test';
const TASK = 'count-row';
const CONCURRENCY = 3;

let database: TestDatabase;
let errors: string[];
const started: ControlledJobs[] = [];

/** Jobs of rows that the test ends one by one. */
class ControlledJobs {
  readonly inProgress = new Map<string, (error?: Error) => void>();
  readonly jobs = new BackgroundJobs({
    databaseUrl: database.urlFor('console'),
    schema: SCHEMA,
    applicationName: APPLICATION,
  });
  private stopping: Promise<void> | undefined;

  constructor() {
    this.jobs.processRows({ [TASK]: (id) => this.run(id) }, CONCURRENCY);
  }

  start(): this {
    started.push(this);
    this.jobs.onApplicationBootstrap();
    return this;
  }

  stop(): Promise<void> {
    if (!this.stopping) this.jobs.onModuleDestroy();
    return (this.stopping ??= this.jobs.onApplicationShutdown());
  }

  ids(): string[] {
    return [...this.inProgress.keys()].sort();
  }

  private run(id: string): Promise<void> {
    return new Promise((resolve, reject) =>
      this.inProgress.set(id, (error) => {
        this.inProgress.delete(id);
        if (error) reject(error);
        else resolve();
      }),
    );
  }
}

beforeAll(async () => {
  Logger.overrideLogger({
    log: () => undefined,
    warn: () => undefined,
    error: (error: Error) => errors.push(error.message),
  });
  database = await createTestDatabase();
});
beforeEach(() => (errors = []));
afterEach(async () => {
  await Promise.all(
    started.splice(0).map((one) => {
      for (const end of one.inProgress.values()) end();
      return one.stop();
    }),
  );
  await database.pool.query(`DELETE FROM ${SCHEMA}._private_jobs`);
});
afterAll(() => database?.drop());

async function addRows(...ids: string[]): Promise<void> {
  for (const id of ids)
    await database.pool.query(`SELECT FROM ${SCHEMA}.add_job($1, json_build_object('id', $2::text))`, [
      TASK,
      id,
    ]);
}

async function waitingJobs(): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(
    `SELECT count(*) FROM ${SCHEMA}.jobs WHERE task_identifier = $1 AND locked_at IS NULL`,
    [TASK],
  );
  return Number(rows[0]!.count);
}

describe('the jobs of rows', () => {
  it('run a few at a time, and a slow one does not block the others', async () => {
    await addRows('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const jobs = new ControlledJobs().start();
    await waitFor(() => jobs.inProgress.size === CONCURRENCY);
    expect(await waitingJobs()).toBe(7 - CONCURRENCY);
    for (const id of ['b', 'c', 'd', 'e', 'f', 'g']) {
      await waitFor(() => jobs.inProgress.has(id));
      expect(jobs.inProgress.size).toBeLessThanOrEqual(CONCURRENCY);
      jobs.inProgress.get(id)!();
    }
    await waitFor(async () => (await waitingJobs()) === 0 && jobs.inProgress.size === 1);
    expect(jobs.ids()).toEqual(['a']);
  });

  it('do not wait for those of another party that does not answer', async () => {
    const jobs = new ControlledJobs();
    let others = 0;
    jobs.jobs.processRows({ other: () => Promise.resolve(void (others += 1)) }, 1);
    jobs.start();
    await addRows('a', 'b', 'c', 'd');
    await waitFor(() => jobs.inProgress.size === CONCURRENCY);
    await database.pool.query(`SELECT FROM ${SCHEMA}.add_job('other', '{"id": "x"}')`);
    await waitFor(() => others === 1);
  });

  it('are logged and not tried again when they fail', async () => {
    const jobs = new ControlledJobs().start();
    await addRows('a', 'b');
    await waitFor(() => jobs.inProgress.size === 2);
    jobs.inProgress.get('a')!(new Error('a bad row'));
    jobs.inProgress.get('b')!();
    await waitFor(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM ${SCHEMA}.jobs WHERE task_identifier = $1`,
        [TASK],
      );
      return rowCount === 0;
    });
    expect(errors).toEqual(['a bad row']);
  });

  it('are tried again when the database was not available', async () => {
    const jobs = new ControlledJobs().start();
    await addRows('a');
    await waitFor(() => jobs.inProgress.size === 1);
    jobs.inProgress.get('a')!(Object.assign(new Error('closed'), { code: 'ECONNREFUSED' }));
    await waitFor(async () => {
      const { rows } = await database.pool.query<{ attempts: number }>(
        `SELECT attempts FROM ${SCHEMA}.jobs WHERE task_identifier = $1 AND locked_at IS NULL`,
        [TASK],
      );
      return rows[0]?.attempts === 1;
    });
    expect(errors).toEqual([]);
  });

  it('are finished when the service stops, and no others are started', async () => {
    const jobs = new ControlledJobs().start();
    await addRows('a');
    await waitFor(() => jobs.inProgress.size === 1);
    let stopped = false;
    const stopping = jobs.stop().then(() => (stopped = true));
    await addRows('b');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stopped).toBe(false);
    jobs.inProgress.get('a')!();
    await stopping;
    expect([jobs.inProgress.size, await waitingJobs()]).toEqual([0, 1]);
  });
});

it('prepares itself once, as soon as the database is available', async () => {
  const jobs = new ControlledJobs();
  let attempts = 0;
  jobs.jobs.onceAvailable(() => {
    attempts += 1;
    const error = Object.assign(new Error('not yet'), { code: 'ECONNREFUSED' });
    return attempts === 1 ? Promise.reject(error) : Promise.resolve();
  });
  let isPrepared = false;
  jobs.jobs.onceAvailable(() => Promise.resolve(void (isPrepared = true)));
  jobs.start();
  await waitFor(() => isPrepared);
  expect([attempts, errors]).toEqual([2, []]);
});

describe('a scheduled job', () => {
  const scheduled = async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT id::text FROM ${SCHEMA}.jobs WHERE key = 'clean' AND locked_at IS NULL`,
    );
    return rows.map(({ id }) => id);
  };
  const makeDue = () =>
    database.pool.query(
      `UPDATE ${SCHEMA}._private_jobs SET run_at = now() WHERE key = 'clean' AND locked_at IS NULL`,
    );
  function startReplica(run: () => Promise<void>): ControlledJobs {
    const jobs = new ControlledJobs();
    jobs.jobs.schedule('clean', 3_600, run);
    return jobs.start();
  }

  it('runs once for all replicas each time, also after it failed', async () => {
    let runs = 0;
    for (let replica = 0; replica < 3; replica += 1)
      startReplica(() => {
        runs += 1;
        return Promise.reject(new Error(`failure ${runs}`));
      });
    for (let time = 1; time <= 3; time += 1) {
      await waitFor(async () => (await scheduled()).length === 1);
      await makeDue();
      await waitFor(() => errors.length === time);
    }
    await waitFor(async () => (await scheduled()).length === 1);
    expect(errors).toEqual(['failure 1', 'failure 2', 'failure 3']);
  });

  it('keeps its next time when another replica starts', async () => {
    const nextTime = async () => {
      const { rows } = await database.pool.query(`SELECT run_at FROM ${SCHEMA}.jobs WHERE key = 'clean'`);
      return rows;
    };
    startReplica(() => Promise.resolve());
    const before = await waitFor(async () => ((await scheduled()).length === 1 ? nextTime() : null));
    const other = new ControlledJobs();
    let isReady = false;
    other.jobs.schedule('clean', 60, () => Promise.resolve());
    other.jobs.onceAvailable(() => Promise.resolve(void (isReady = true)));
    other.start();
    await waitFor(() => isReady);
    expect(await nextTime()).toEqual(before);
  });

  it('runs again when its replica has died', async () => {
    let runs = 0;
    const run = () => Promise.resolve(void (runs += 1));
    await startReplica(run).stop();
    const dead = await scheduled();
    await database.pool.query(
      `UPDATE ${SCHEMA}._private_jobs SET locked_at = now(), locked_by = 'a replica that died', attempts = 1 WHERE key = 'clean'`,
    );
    startReplica(run);
    const next = await waitFor(async () => ((await scheduled()).length === 1 ? scheduled() : null));
    expect(next).not.toEqual(dead);
    await makeDue();
    await waitFor(() => runs === 1);
  });
});
