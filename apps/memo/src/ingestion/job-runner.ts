import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger as NestLogger } from '@nestjs/common';
import { JOB_SCHEMAS } from '@inference/database';
import { Logger, run, type Runner, type TaskList } from 'graphile-worker';
import { Pool, TypeOverrides } from 'pg';

/** The queue says when something comes; this is for what it says while nobody hears it. */
const POLL_MILLIS = 2_000;
const RESTART_MILLIS = 1_000;
const QUERY_MILLIS = 35_000;
const INT8 = 20;

/**
 * Resolves when the runner has ended. Its worker, when it cannot say that its job is done, since the database is away,
 * ends without another in its place, and without a word from the runner: then all of it ends, to start anew.
 */
async function untilBroken(runner: Runner): Promise<void> {
  const broken = new Promise<void>((resolve) => runner.events.once('worker:fatalError', () => resolve()));
  await Promise.race([runner.promise, broken.then(() => runner.stop())]);
}

/** Takes the jobs of some tasks from the queue (Graphile Worker), one at a time. */
export class JobRunner {
  private readonly pool: Pool;
  private readonly stopping = new AbortController();
  private runner: Runner | undefined;
  private loop: Promise<void> | undefined;

  /** @param tasks are told by the signal that the process ends; what they leave undone they put back */
  constructor(
    connectionString: string,
    private readonly tasks: (signal: AbortSignal) => TaskList,
    private readonly logger: NestLogger,
  ) {
    // The library takes numbers as node-postgres gives them unless told otherwise.
    const types = new TypeOverrides();
    types.setTypeParser(INT8, String);
    this.pool = new Pool({
      connectionString,
      types,
      max: 2,
      application_name: 'memo queue',
      connectionTimeoutMillis: 5_000,
      query_timeout: QUERY_MILLIS,
      keepAlive: true,
    });
    this.pool.on('error', () => undefined);
  }

  start(): void {
    this.loop = this.work();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.runner?.stop().catch(() => undefined);
    await this.loop;
    await this.pool.end();
  }

  /** Starts anew whenever the library gives up, as it does after a while without the database. */
  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        this.runner = await run({
          pgPool: this.pool,
          schema: JOB_SCHEMAS.memo,
          concurrency: 1,
          pollInterval: POLL_MILLIS,
          noHandleSignals: true,
          logger: this.workerLogger(),
          taskList: this.tasks(signal),
          // Without these it looks for files of tasks and times.
          crontab: '',
        });
        if (signal.aborted) await this.runner.stop();
        await untilBroken(this.runner);
      } catch (error) {
        if (!signal.aborted) this.logger.warn(`The queue is not to be had: ${(error as Error).message}`);
      }
      this.runner = undefined;
      await sleep(RESTART_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  private workerLogger(): Logger {
    return new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') this.logger.warn(message);
      else this.logger.debug(message);
    });
  }
}
