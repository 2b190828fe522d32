import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { isDatabaseUnavailable } from '@inference/database';
import { type Pool } from 'pg';
import { createJobPool } from './job-pool';
import { JobWorker, type JobWorkerOptions } from './job-worker';

/** Scheduled jobs that one process runs at a time. Chosen: one that waits for a slow storage then delays no other. */
const SCHEDULED_CONCURRENCY = 3;

/** The signal is aborted when the service stops. */
type Run = (signal: AbortSignal) => Promise<void>;
/** Works on one row. */
type RunForRow = (id: string, signal: AbortSignal) => Promise<void>;

export interface BackgroundJobsOptions extends Pick<JobWorkerOptions, 'schema' | 'pollMillis'> {
  /** Connection string of the service's role. */
  databaseUrl: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
}

/** Jobs that have a worker of their own. */
type Lane = Pick<JobWorkerOptions, 'concurrency' | 'tasks' | 'beforeStart'>;

/**
 * Runs a service's background work: at fixed times, and for rows that are due. Features register their work in their
 * constructors. A job that fails is logged and not tried again, except after an outage of the database: the next time
 * makes up for it, or the row's next job.
 */
@Injectable()
export class BackgroundJobs implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(BackgroundJobs.name);
  private readonly scheduled = new Map<string, { everySeconds: number; run: Run }>();
  private readonly preparations: (() => Promise<void>)[] = [];
  private readonly lanes: Lane[] = [];
  private workers: JobWorker[] = [];
  private pool: Pool | undefined;
  private stopped: Promise<unknown> | undefined;

  constructor(private readonly options: BackgroundJobsOptions) {}

  /** Runs a job again and again, once for all hosts: the first time after `everySeconds`. */
  schedule(name: string, everySeconds: number, run: Run): void {
    this.scheduled.set(name, { everySeconds, run });
  }

  /**
   * Runs the jobs of rows that are due, by the name of their task; the payload of such a job is `{id}`. At most
   * `concurrency` run at a time in this process, apart from other work, so that a party that does not answer delays
   * nothing else.
   */
  processRows(tasks: Record<string, RunForRow>, concurrency: number): void {
    this.lanes.push({
      concurrency,
      tasks: (signal) =>
        mapValues(tasks, (run) => this.reported((payload) => run((payload as { id: string }).id, signal))),
    });
  }

  /** Runs this once, as soon as the database is available. */
  onceAvailable(run: () => Promise<void>): void {
    this.preparations.push(run);
  }

  onApplicationBootstrap(): void {
    const lanes = [this.scheduledLane(), ...this.lanes];
    const { databaseUrl, applicationName, ...queue } = this.options;
    const pool = createJobPool(
      databaseUrl,
      applicationName,
      lanes.map(({ concurrency }) => concurrency),
    );
    this.pool = pool;
    this.workers = lanes.map((lane) => new JobWorker({ ...queue, ...lane, pool, logger: this.logger }));
    for (const worker of this.workers) worker.start();
  }

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    this.stopped = Promise.all(this.workers.map((worker) => worker.stop()));
  }

  /** Resolves when the jobs in progress have ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
    await this.pool?.end();
  }

  private scheduledLane(): Lane {
    return {
      concurrency: SCHEDULED_CONCURRENCY,
      tasks: (signal) =>
        mapValues(Object.fromEntries(this.scheduled), ({ run }) => {
          const work = this.reported(() => run(signal));
          return async (payload) => {
            await this.addScheduledJobs();
            await work(payload);
          };
        }),
      beforeStart: () => this.prepare(),
    };
  }

  /**
   * Gives each scheduled job that is not waiting in the queue its next time. That is the one that calls this, and one whose
   * host died before it had called this.
   */
  private async addScheduledJobs(): Promise<void> {
    // In one order, so that hosts that do this at the same time do not wait for each other in a circle.
    const names = [...this.scheduled.keys()].sort();
    const seconds = names.map((name) => this.scheduled.get(name)!.everySeconds);
    await this.pool!.query(
      `SELECT FROM unnest($1::text[], $2::integer[]) AS next (name, seconds), ${this.options.schema}.add_job(
         name, run_at := now() + make_interval(secs => seconds), job_key := name, job_key_mode := 'preserve_run_at')`,
      [names, seconds],
    );
  }

  /** Only an outage of the database makes the queue try a job again. */
  private reported(work: (payload: unknown) => Promise<void>): (payload: unknown) => Promise<void> {
    return async (payload) => {
      try {
        await work(payload);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.logger.error(error);
      }
    };
  }

  private async prepare(): Promise<void> {
    await this.addScheduledJobs();
    for (let run = this.preparations[0]; run; run = this.preparations[0]) {
      await run();
      this.preparations.shift();
    }
  }
}

const mapValues = <From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
