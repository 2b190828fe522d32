import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { isDatabaseUnavailable } from '@inference/database';
import { Pool, type PoolClient, TypeOverrides } from 'pg';
import { addNextRuns } from './job-queue.repository';
import { JobWorker, type JobWorkerOptions } from './job-worker';

/** For a server or a network that hangs. */
const QUERY_MILLIS = 35_000;
const CONNECTION_MILLIS = 5_000;
/** The library returns a connection that has timed out to the pool. This bounds how long the pool uses it. */
const LIFETIME_SECONDS = 60;
const INT8 = 20;

/** Of the overload that takes a callback. */
type Connected = Parameters<Pool['connect']>[0];

/**
 * A pool that takes each connection back only once. If a worker stops while its LISTEN waits for an answer, and the connection breaks
 * then, the library releases that connection twice (0.16.6). The pool of `pg` throws the second time, nobody catches the error,
 * and the process ends.
 */
class JobPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      // A pool that has ended passes no release, whatever its types say.
      if (!client) return callback(error, client, release);
      let isReleased = false;
      callback(error, client, (fault) => {
        if (!isReleased) release(fault);
        isReleased = true;
      });
    });
  }
}

/**
 * Returns a pool as the job library needs it: int8 columns are text, not BigInt as in the pool of the services. Each worker
 * that uses it keeps one connection that listens for jobs. All of them share further connections, as many as the largest
 * concurrency, to take jobs and mark them as done.
 *
 * @param applicationName shown in pg_stat_activity
 * @param concurrencies the concurrency of each worker that uses the pool
 */
export function createJobPool(databaseUrl: string, applicationName: string, concurrencies: number[]): Pool {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, String);
  const pool = new JobPool({
    connectionString: databaseUrl,
    types,
    max: concurrencies.length + Math.max(...concurrencies),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECTION_MILLIS,
    query_timeout: QUERY_MILLIS,
    keepAlive: true,
    maxLifetimeSeconds: LIFETIME_SECONDS,
  });
  // Without a listener a connection that breaks would end the process: while it is idle, and while the library uses it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Seconds, for `BackgroundJobs.schedule`. */
export const EVERY_MINUTE = 60;
export const EVERY_TEN_MINUTES = 600;
export const EVERY_HOUR = 3_600;

/** Scheduled jobs that one process runs at a time. Chosen: one that waits for a slow storage then delays no other. */
const SCHEDULED_CONCURRENCY = 2;
/** How long a scheduled job may be missing in the queue. */
const SCHEDULE_CHECK_MILLIS = 60_000;
/** Pause before the next attempt of a preparation while the database is away, and after another failure. */
const UNAVAILABLE_RETRY_MILLIS = 1_000;
const FAILURE_RETRY_MILLIS = 60_000;

/** The signal is aborted when the service stops. */
type Run = (signal: AbortSignal) => Promise<void>;
/** Works on one row. */
type RunForRow = (id: string, signal: AbortSignal) => Promise<void>;

export interface BackgroundJobsOptions extends Pick<JobWorkerOptions, 'schema' | 'pollMillis' | 'metrics'> {
  /** Connection string of the service's role. */
  databaseUrl: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
}

/** Jobs that have a worker of their own. */
type WorkerGroup = Pick<JobWorkerOptions, 'concurrency' | 'tasks' | 'beforeStart'>;

/**
 * Runs a service's background work: scheduled jobs, and jobs for rows that are due. Features register their work in their
 * constructors. A failure is logged; the work is done at the next run of a scheduled job, or by the row's next job. The
 * queue itself repeats only a job that failed before it had claimed its row, because the database was away.
 */
@Injectable()
export class BackgroundJobs implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(BackgroundJobs.name);
  private readonly scheduled = new Map<string, { everySeconds: number; run: Run }>();
  private readonly preparations: (() => Promise<void>)[] = [];
  private readonly workerGroups: WorkerGroup[] = [];
  /** Names of the scheduled jobs that this process is running. */
  private readonly running = new Set<string>();
  private readonly stopping = new AbortController();
  private scheduleTimer: NodeJS.Timeout | undefined;
  private workers: JobWorker[] = [];
  private pool: Pool | undefined;
  private prepared: Promise<void> | undefined;
  private stopped: Promise<unknown> | undefined;

  constructor(private readonly options: BackgroundJobsOptions) {}

  /** Runs a job again and again, once for all replicas: the first time after `everySeconds`. */
  schedule(name: string, everySeconds: number, run: Run): void {
    this.scheduled.set(name, { everySeconds, run });
  }

  /**
   * Runs the jobs of rows that are due, by the name of their task; the payload of such a job is `{id}`. At most
   * `concurrency` run at a time in this process, apart from other work, so that a party that does not answer delays
   * nothing else.
   */
  processRows(tasks: Record<string, RunForRow>, concurrency: number): void {
    this.workerGroups.push({
      concurrency,
      tasks: (signal) =>
        mapEntries(tasks, (name, run) =>
          this.loggingFailures(name, (payload) => run((payload as { id: string }).id, signal)),
        ),
    });
  }

  /** Runs this once, as soon as the database is available. */
  onceAvailable(run: () => Promise<void>): void {
    this.preparations.push(run);
  }

  onApplicationBootstrap(): void {
    const groups = [this.scheduledGroup(), ...this.workerGroups];
    const { databaseUrl, applicationName, ...queue } = this.options;
    const pool = createJobPool(
      databaseUrl,
      applicationName,
      groups.map(({ concurrency }) => concurrency),
    );
    this.pool = pool;
    this.workers = groups.map((group) => new JobWorker({ ...queue, ...group, pool, logger: this.logger }));
    for (const worker of this.workers) worker.start();
    this.scheduleTimer = setInterval(() => void this.checkSchedule(), SCHEDULE_CHECK_MILLIS);
    this.prepared = this.prepare(this.stopping.signal);
  }

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    this.stopping.abort();
    clearInterval(this.scheduleTimer);
    this.stopped = Promise.all([this.prepared, ...this.workers.map((worker) => worker.stop())]);
  }

  /** Resolves when the jobs in progress have ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
    await this.pool?.end();
  }

  private scheduledGroup(): WorkerGroup {
    return {
      concurrency: SCHEDULED_CONCURRENCY,
      tasks: (signal) =>
        Object.fromEntries(
          [...this.scheduled].map(([name, { run }]) => [
            name,
            () => this.runScheduled(name, () => run(signal)),
          ]),
        ),
      beforeStart: () => this.addScheduledJobs(),
    };
  }

  /** Does nothing if this process is still at the previous run, so that a slow one does not take every place. */
  private async runScheduled(name: string, run: () => Promise<void>): Promise<void> {
    await this.addScheduledJobs();
    if (this.running.has(name)) return;
    this.running.add(name);
    try {
      await this.loggingFailures(name, run)(undefined);
    } finally {
      this.running.delete(name);
    }
  }

  /**
   * Adds the next run of every scheduled job that is not waiting in the queue: of the job that calls this, because it is
   * running, and of any job whose process died before it had called this.
   */
  private async addScheduledJobs(): Promise<void> {
    // In one order, so that replicas that do this at the same time do not wait for each other in a circle.
    const names = [...this.scheduled.keys()].sort();
    const seconds = names.map((name) => this.scheduled.get(name)!.everySeconds);
    await addNextRuns(this.pool!, this.options.schema, names, seconds);
  }

  private async checkSchedule(): Promise<void> {
    try {
      await this.addScheduledJobs();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }

  /** The queue repeats a job only if it throws. */
  private loggingFailures(
    task: string,
    work: (payload: unknown) => Promise<void>,
  ): (payload: unknown) => Promise<void> {
    return async (payload) => {
      try {
        await work(payload);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.options.metrics?.countFailure(task, false);
        this.logger.error(error);
      }
    };
  }

  private async prepare(signal: AbortSignal): Promise<void> {
    for (const run of this.preparations)
      while (!signal.aborted) {
        try {
          await run();
          break;
        } catch (error) {
          const isUnavailable = isDatabaseUnavailable(error);
          if (!isUnavailable) this.logger.error(error);
          const pause = isUnavailable ? UNAVAILABLE_RETRY_MILLIS : FAILURE_RETRY_MILLIS;
          await sleep(pause, undefined, { signal }).catch(() => undefined);
        }
      }
  }
}

const mapEntries = <From, To>(
  record: Record<string, From>,
  map: (key: string, value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]));
