import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger as NestLogger } from '@nestjs/common';
import { Logger, parseCronItems, run, type Runner, type Task, type TaskList } from 'graphile-worker';
import { type Pool } from 'pg';

/** New jobs are notified; polling finds those that are due later or whose notification was lost. Chosen: half of it doubles the queries of an idle service. */
const POLL_MILLIS = 2_000;
/** Pause before the next attempt when the database is away. Chosen: short beside the time a service takes to be noticed. */
const RESTART_MILLIS = 1_000;

/** A job that the queue adds at fixed times, once for all replicas. */
export interface ScheduledJob {
  /** A name in the task list. */
  task: string;
  /** Cron pattern of five fields in UTC, such as `15 4 * * *`. */
  pattern: string;
}

export interface JobWorkerOptions {
  /** From `createJobPool`. Whoever created it ends it after `stop`. */
  pool: Pool;
  /** Schema of the queue: a value of JOB_SCHEMAS. */
  schema: string;
  /** Jobs that this process runs at a time. */
  concurrency: number;
  /** Returns the tasks by name. The signal is aborted when the worker stops; a job that throws then is taken by another process. */
  tasks: (signal: AbortSignal) => TaskList;
  scheduledJobs?: ScheduledJob[];
  /** Runs before the first job, and again after an outage of the database. If it throws, it is tried again. */
  beforeStart?: () => Promise<void>;
  /** How soon a job is found whose time comes later, or whose notification was lost. */
  pollMillis?: number;
  logger: NestLogger;
}

/**
 * Takes jobs from a service's queue (Graphile Worker) until it is stopped. Survives an outage of the database: it starts
 * again until the database answers.
 */
export class JobWorker {
  private readonly stopping = new AbortController();
  private runner: Runner | undefined;
  private loop: Promise<void> | undefined;

  constructor(private readonly options: JobWorkerOptions) {}

  start(): void {
    this.loop = this.work();
  }

  /** Takes no more jobs. Resolves when the jobs that are running have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.runner?.stop().catch(() => undefined);
    await this.loop;
  }

  private async work(): Promise<void> {
    const { logger } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.options.beforeStart?.();
        this.runner = await this.startRunner(signal);
        if (signal.aborted) await this.runner.stop();
        await untilBroken(this.runner);
      } catch (error) {
        if (!signal.aborted) logger.warn(`The job queue is not available: ${(error as Error).message}`);
      }
      this.runner = undefined;
      await sleep(RESTART_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  private startRunner(signal: AbortSignal): Promise<Runner> {
    const {
      pool: pgPool,
      schema,
      concurrency,
      tasks,
      scheduledJobs = [],
      pollMillis = POLL_MILLIS,
      logger,
    } = this.options;
    return run({
      pgPool,
      schema,
      concurrency,
      pollInterval: pollMillis,
      // The application handles signals and calls stop().
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => {
        if (level === 'error' || level === 'warning') logger.warn(message);
        else logger.debug(message);
      }),
      taskList: unlessAborted(signal, tasks(signal)),
      // Given even if empty: otherwise the library looks for a crontab file.
      parsedCronItems: parseCronItems(
        scheduledJobs.map(({ task, pattern }) => ({
          task,
          match: pattern,
          // The next time makes up for one that failed or was missed. The key keeps those that wait from adding up.
          options: { maxAttempts: 1, backfillPeriod: 0, jobKey: task },
        })),
      ),
    });
  }
}

/** Tasks that return a job to the queue if the library takes it while it is being stopped. */
function unlessAborted(signal: AbortSignal, tasks: TaskList): TaskList {
  const guarded = Object.entries(tasks).map(([name, task]): [string, Task] => [
    name,
    (payload, helpers) => {
      signal.throwIfAborted();
      return task!(payload, helpers);
    },
  ]);
  return Object.fromEntries(guarded);
}

/**
 * Resolves when the runner has ended. When the library cannot mark a job as done because the database is away, that
 * worker of it ends silently and is not replaced: then the whole runner is stopped, to be started again.
 */
async function untilBroken(runner: Runner): Promise<void> {
  const broken = new Promise<void>((resolve) => runner.events.once('worker:fatalError', () => resolve()));
  await Promise.race([runner.promise, broken.then(() => runner.stop())]);
}
