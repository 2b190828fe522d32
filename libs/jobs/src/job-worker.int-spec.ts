import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { JOB_SCHEMAS } from '@inference/database';
import { createTestDatabase, findFreePort, type TestDatabase, waitFor } from '@inference/testing';
import { type TaskList } from 'graphile-worker';
import { type Pool } from 'pg';
import { createJobPool } from './background-jobs';
import { JobWorker, type JobWorkerOptions } from './job-worker';

const SCHEMA = JOB_SCHEMAS.memo;
const APPLICATION = 'job-worker test';

let database: TestDatabase;
const workers: JobWorker[] = [];
const pools: Pool[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await database.pool.query(`DELETE FROM ${SCHEMA}._private_jobs`);
});
afterAll(() => database?.drop());

function startWorker(
  tasks: (signal: AbortSignal) => TaskList,
  options: Partial<JobWorkerOptions> = {},
): JobWorker {
  const pool = createJobPool(database.urlFor('memo'), APPLICATION, [2]);
  pools.push(pool);
  const worker = new JobWorker({
    pool,
    schema: SCHEMA,
    concurrency: 2,
    logger: new Logger('test'),
    tasks,
    ...options,
  });
  worker.start();
  workers.push(worker);
  return worker;
}

const addJob = (task: string, payload: object = {}) =>
  database.pool.query(`SELECT FROM ${SCHEMA}.add_job($1, $2::json)`, [task, JSON.stringify(payload)]);

async function countJobs(): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(`SELECT count(*) FROM ${SCHEMA}.jobs`);
  return Number(rows[0]!.count);
}

it('runs each job once, whichever of several workers takes it', async () => {
  const seen: unknown[] = [];
  const tasks = () => ({ note: (payload: unknown) => void seen.push((payload as { n: number }).n) });
  startWorker(tasks);
  startWorker(tasks);
  for (let n = 0; n < 20; n += 1) await addJob('note', { n });
  await waitFor(() => seen.length >= 20);
  await waitFor(async () => (await countJobs()) === 0);
  expect(seen.sort((one, other) => Number(one) - Number(other))).toEqual(
    Array.from({ length: 20 }, (_, n) => n),
  );
});

it('runs a job again that has failed', async () => {
  let attempts = 0;
  startWorker(() => ({
    fail: () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the first attempt fails');
    },
  }));
  await addJob('fail');
  await waitFor(() => attempts === 1);
  await waitFor(async () => {
    const { rowCount } = await database.pool.query(
      `UPDATE ${SCHEMA}._private_jobs SET run_at = now() WHERE locked_at IS NULL AND attempts = 1`,
    );
    return rowCount === 1;
  });
  await waitFor(async () => (await countJobs()) === 0);
  expect(attempts).toBe(2);
});

it('goes on after the database has closed all of its connections', async () => {
  let done = 0;
  startWorker(() => ({ count: () => void (done += 1) }));
  await addJob('count');
  await waitFor(() => done === 1);
  await database.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
    [APPLICATION],
  );
  await addJob('count');
  await waitFor(() => done === 2);
});

it('waits at its stop for the jobs that run, tells them by the signal, and takes no others', async () => {
  let started = 0;
  let ended = 0;
  const worker = startWorker((signal) => ({
    wait: async () => {
      started += 1;
      while (!signal.aborted) await sleep(10);
      ended += 1;
    },
  }));
  for (let n = 0; n < 3; n += 1) await addJob('wait');
  await waitFor(() => started === 2);
  await worker.stop();
  workers.splice(0);
  expect({ started, ended, left: await countJobs() }).toEqual({ started: 2, ended: 2, left: 1 });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A way to the database that the test opens and cuts. */
class Way {
  /** Whether the database does not get what was sent. */
  withholds: (sent: string) => boolean = () => false;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port: number | undefined;

  async open(): Promise<void> {
    const { hostname, port } = new URL(database.urlFor('memo'));
    this.port ??= await findFreePort();
    this.server = createServer((near) => {
      const far = connect(Number(port), hostname);
      near.on('data', (sent: Buffer) => this.withholds(sent.toString('latin1')) || far.write(sent));
      far.pipe(near);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.sockets.delete(socket);
          other.destroy();
        });
      }
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server!.close(resolve));
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  get url(): string {
    const url = new URL(database.urlFor('memo'));
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }
}

describe('a worker whose database is away', () => {
  let way: Way;
  let done: number;
  beforeEach(async () => {
    done = 0;
    way = new Way();
    await way.open();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await way.cut();
  });

  const startBehind = (options: Partial<JobWorkerOptions> = {}, work = () => Promise.resolve()) => {
    const pool = createJobPool(way.url, APPLICATION, [2]);
    pools.push(pool);
    startWorker(() => ({ count: () => work().then(() => void (done += 1)) }), { pool, ...options });
  };

  it('at its start takes jobs once it is there', async () => {
    await way.cut();
    startBehind();
    await addJob('count');
    await sleep(1_500);
    await way.open();
    await waitFor(() => done === 1);
  });

  it('at the end of a job takes other jobs once it is there', async () => {
    let isRunning = false;
    let end = (): void => undefined;
    startBehind({}, () => {
      isRunning = true;
      return new Promise((resolve) => (end = resolve));
    });
    await addJob('count');
    await waitFor(() => isRunning);
    await way.cut();
    end();
    await sleep(1_500);
    await way.open();
    isRunning = false;
    await addJob('count');
    await waitFor(() => isRunning);
    end();
    await waitFor(() => done === 2);
  });

  it('at its stop, while it waits for an answer to LISTEN, gives the connection back once', async () => {
    let asksToListen = false;
    way.withholds = (sent) => sent.includes('LISTEN') && (asksToListen = true);
    startBehind();
    await waitFor(() => asksToListen);
    const [worker] = workers.splice(0);
    const stopped = worker!.stop();
    await nextTurn();
    await way.cut();
    await stopped;
    // Jest fails the test for an error that nobody has caught by then.
    await nextTurn();
  });

  it('again and again during its queries goes on', async () => {
    startBehind({ pollMillis: 1 });
    for (let time = 0; time < 5; time += 1) {
      const before = done;
      // A job is lost to the worker if the connection breaks while the database hands it out.
      await waitFor(async () => {
        await addJob('count');
        return done > before;
      });
      await way.cut();
      await way.open();
    }
  });
});
