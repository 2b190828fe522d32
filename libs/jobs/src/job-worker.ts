import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger as NestLogger } from '@nestjs/common';
import { Logger, runTaskList, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import { type Pool } from 'pg';
import { type JobMetrics } from './job-metrics';
import { checkQueue } from './job-queue.repository';

/** New jobs are notified; polling finds those that are due later or whose notification was lost. Chosen: half of it doubles the queries of an idle service. */
const POLL_MILLIS = 2_000;
/** Pause before the next attempt when the database is away. Chosen: jobs run again at most a second after the database is back, and one attempt a second is no load. */
const RESTART_MILLIS = 1_000;

export interface JobWorkerOptions {
  /** From `createJobPool`. Whoever created it ends it after `stop`. */
  pool: Pool;
  /** Schema of the queue: a value of JOB_SCHEMAS. */
  schema: string;
  /** Jobs that this process runs at a time. */
  concurrency: number;
  /** Returns the tasks by name. The signal is aborted when the worker stops; a job that throws then is taken by another process. */
  tasks: (signal: AbortSignal) => TaskList;
  /** Runs before the first job, and each time the worker starts again. If it throws, it is tried again. */
  beforeStart?: () => Promise<void>;
  /** How soon a job is found whose time comes later, or whose notification was lost. */
  pollMillis?: number;
  logger: NestLogger;
  metrics?: JobMetrics;
}

/**
 * Takes jobs from a service's queue (Graphile Worker) until it is stopped, and goes on after an outage of the database.
 *
 * The library's `run` and its cron items are not used: a failing query of theirs is an unhandled rejection, which ends the
 * process when the database is away at the turn of a minute (0.16.6).
 */
export class JobWorker {
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(private readonly options: JobWorkerOptions) {}

  start(): void {
    const { metrics, tasks } = this.options;
    metrics?.addTasks(Object.keys(tasks(this.stopping.signal)));
    this.loop = this.work();
  }

  /** Takes no more jobs. Resolves when the jobs that are running have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async work(): Promise<void> {
    const { pool, schema, beforeStart, logger } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        // The library does not recover when its first query of a queue fails.
        await checkQueue(pool, schema);
        await beforeStart?.();
        if (!signal.aborted) await this.runUntilBroken(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn(`The job queue is not available: ${(error as Error).message}`);
      }
      await sleep(RESTART_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Returns when it is stopped, or broken. A library worker that cannot mark a job as done ends silently and is not
   * replaced; one that cannot take a job may never take one again; and all end when the tables of a queue are migrated.
   */
  private async runUntilBroken(signal: AbortSignal): Promise<void> {
    const { pool: pgPool, schema, concurrency, tasks, pollMillis = POLL_MILLIS, logger } = this.options;
    const events: WorkerEvents = new EventEmitter();
    const taskList = unlessAborted(signal, tasks(signal));
    this.measure(events);
    const stoppedOrBroken = stopOrFirstOf(events, signal);
    const runner = runTaskList(
      {
        pgPool,
        schema,
        concurrency,
        pollInterval: pollMillis,
        events,
        // The application handles signals and calls stop().
        noHandleSignals: true,
        logger: new Logger(() => (level, message) => {
          if (level === 'error' || level === 'warning') logger.warn(message);
          else logger.debug(message);
        }),
      },
      taskList,
      pgPool,
    );
    await stoppedOrBroken;
    await runner.gracefulShutdown();
    await runner.promise;
  }

  private measure(events: WorkerEvents): void {
    const { metrics } = this.options;
    if (!metrics) return;
    events.on('job:complete', ({ job, error }) => {
      metrics.countRun(job.task_identifier);
      if (error) metrics.countFailure(job.task_identifier, job.attempts < job.max_attempts);
    });
  }
}

/** Resolves when the signal is aborted or the library reports that its workers cannot go on. */
async function stopOrFirstOf(events: WorkerEvents, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const event of ['worker:fatalError', 'worker:getJob:error', 'pool:gracefulShutdown'] as const)
    events.once(event, end);
  signal.addEventListener('abort', end);
  if (!signal.aborted) await once(ended.signal, 'abort');
  signal.removeEventListener('abort', end);
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
