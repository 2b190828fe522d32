import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger as NestLogger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { JOB_SCHEMAS, SQL_POOL, type SqlPool } from '@inference/database';
import { Logger, run, type Runner, type TaskList } from 'graphile-worker';
import { Pool, TypeOverrides } from 'pg';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { clean } from '../index/cleaning';
import { mergeWorkspace } from '../index/merge';
import { CLEAN, INGEST, type IngestionJob, MERGE, type MergeJob } from './ingestion-jobs';
import { Ingestor } from './ingestor';
import { sweep } from './sweeping';

/** The queue says when something comes; this is for what it says while nobody hears it. */
const POLL_MILLIS = 2_000;
const RESTART_MILLIS = 1_000;
const QUERY_MILLIS = 35_000;
const SWEEP_MILLIS = 15_000;
const INT8 = 20;

/**
 * Resolves when the runner has ended. Its worker, when it cannot say that its job is done, since the database is away,
 * ends without another in its place, and without a word from the runner: then all of it ends, to start anew.
 */
async function untilBroken(runner: Runner): Promise<void> {
  const broken = new Promise<void>((resolve) => runner.events.once('worker:fatalError', () => resolve()));
  await Promise.race([runner.promise, broken.then(() => runner.stop())]);
}

/** Takes what waits in the queue (Graphile Worker), one job at a time. */
@Injectable()
export class IngestionQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new NestLogger(IngestionQueue.name);
  private readonly jobPool: Pool;
  private readonly stopping = new AbortController();
  private runner: Runner | undefined;
  private loop: Promise<void> | undefined;
  private sweeps: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(MEMO_CONFIG) { DATABASE_URL: connectionString }: MemoConfig,
    private readonly ingestor: Ingestor,
  ) {
    // The library takes numbers as node-postgres gives them unless told otherwise.
    const types = new TypeOverrides();
    types.setTypeParser(INT8, String);
    this.jobPool = new Pool({
      connectionString,
      types,
      max: 2,
      application_name: 'memo queue',
      connectionTimeoutMillis: 5_000,
      query_timeout: QUERY_MILLIS,
      keepAlive: true,
    });
    this.jobPool.on('error', () => undefined);
  }

  onApplicationBootstrap(): void {
    this.loop = this.work();
    const look = () =>
      void sweep(this.pool).catch((error: Error) =>
        this.logger.warn(`Documents that went astray could not be looked for: ${error.message}`),
      );
    look();
    this.sweeps = setInterval(look, SWEEP_MILLIS);
  }

  /** What is in hand goes back into the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeps);
    this.stopping.abort();
    await this.runner?.stop().catch(() => undefined);
    await this.loop;
    await this.jobPool.end();
  }

  /** Starts anew whenever the library gives up, as it does after a while without the database. */
  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        this.runner = await run({
          pgPool: this.jobPool,
          schema: JOB_SCHEMAS.memo,
          concurrency: 1,
          pollInterval: POLL_MILLIS,
          noHandleSignals: true,
          logger: this.workerLogger(),
          taskList: this.tasks(),
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

  private tasks(): TaskList {
    const { signal } = this.stopping;
    return {
      [INGEST]: (payload) => this.ingestor.ingest(payload as IngestionJob, signal),
      [MERGE]: (payload) => mergeWorkspace(this.pool, (payload as MergeJob).workspace_id, signal),
      [CLEAN]: () => clean(this.pool, signal),
    };
  }

  private workerLogger(): Logger {
    return new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') this.logger.warn(message);
      else this.logger.debug(message);
    });
  }
}
