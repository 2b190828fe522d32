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
type Lane = Pick<JobWorkerOptions, 'concurrency' | 'tasks' | 'scheduledJobs' | 'beforeStart'>;

/**
 * Runs a service's background work: at fixed times, and for rows that are due. Features register their work in their
 * constructors. A job that fails is logged and not tried again, except after an outage of the database: the next time
 * makes up for it, or the row's next job.
 */
@Injectable()
export class BackgroundJobs implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(BackgroundJobs.name);
  private readonly scheduled = new Map<string, { pattern: string; run: Run }>();
  private readonly preparations: (() => Promise<void>)[] = [];
  private readonly lanes: Lane[] = [];
  private workers: JobWorker[] = [];
  private pool: Pool | undefined;
  private stopped: Promise<unknown> | undefined;

  constructor(private readonly options: BackgroundJobsOptions) {}

  /** Runs a job at the times of a cron pattern in UTC, once for all hosts. */
  schedule(name: string, pattern: string, run: Run): void {
    this.scheduled.set(name, { pattern, run });
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
    const jobs = Object.fromEntries(this.scheduled);
    return {
      concurrency: SCHEDULED_CONCURRENCY,
      tasks: (signal) => mapValues(jobs, ({ run }) => this.reported(() => run(signal))),
      scheduledJobs: Object.entries(jobs).map(([task, { pattern }]) => ({ task, pattern })),
      beforeStart: () => this.prepare(),
    };
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
    for (let run = this.preparations[0]; run; run = this.preparations[0]) {
      await run();
      this.preparations.shift();
    }
  }
}

const mapValues = <From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
