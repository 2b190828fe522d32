import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger as NestLogger, type OnApplicationBootstrap } from '@nestjs/common';
import { inTransaction, JOB_SCHEMAS, SQL_POOL, type SqlPool } from '@inference/database';
import { Logger, run, type Runner, type Task } from 'graphile-worker';
import { Pool, TypeOverrides } from 'pg';
import { AGENT_CONFIG, type AgentConfig } from '../config';
import { claimTurn, lockSessionOf } from './claims';
import { RUN_TURN } from './turn-jobs';
import { TurnRunner } from './turn-runner';

/** Jobs that are taken at a time. A job is done when its turn runs; how many run is another matter. */
const CONCURRENCY = 4;
/** The queue says when something comes; this is for what it says while nobody hears it. */
const POLL_MILLIS = 2_000;
const RESTART_MILLIS = 1_000;
const QUERY_MILLIS = 35_000;
const ROOM_MILLIS = 100;
const INT8 = 20;

/**
 * Resolves when the runner has ended. A worker of it that cannot say that its job is done, since the database is away,
 * ends without another in its place, and without a word from the runner: then all of it ends, to start anew.
 */
async function untilBroken(runner: Runner): Promise<void> {
  const broken = new Promise<void>((resolve) => runner.events.once('worker:fatalError', () => resolve()));
  await Promise.race([runner.promise, broken.then(() => runner.stop())]);
}

/** Takes the turns that wait in the queue (Graphile Worker) and runs them here while there is room. */
@Injectable()
export class TurnQueue implements OnApplicationBootstrap {
  private readonly logger = new NestLogger(TurnQueue.name);
  private readonly jobPool: Pool;
  private runner: Runner | undefined;
  private stopped = false;
  private loop: Promise<void> | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(AGENT_CONFIG) { DATABASE_URL: connectionString }: AgentConfig,
    private readonly turns: TurnRunner,
  ) {
    // The library takes numbers as node-postgres gives them unless told otherwise.
    const types = new TypeOverrides();
    types.setTypeParser(INT8, String);
    this.jobPool = new Pool({
      connectionString,
      types,
      max: CONCURRENCY + 1,
      application_name: 'agent queue',
      connectionTimeoutMillis: 5_000,
      query_timeout: QUERY_MILLIS,
      keepAlive: true,
    });
    this.jobPool.on('error', () => undefined);
  }

  onApplicationBootstrap(): void {
    this.loop = this.work();
  }

  /** Takes nothing more; what is being taken is waited for. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.runner?.stop().catch(() => undefined);
    await this.loop;
    await this.jobPool.end();
  }

  /** Starts anew whenever the library gives up, as it does after a while without the database. */
  private async work(): Promise<void> {
    while (!this.stopped) {
      try {
        this.runner = await run({
          pgPool: this.jobPool,
          schema: JOB_SCHEMAS.agent,
          concurrency: CONCURRENCY,
          pollInterval: POLL_MILLIS,
          noHandleSignals: true,
          logger: this.workerLogger(),
          taskList: { [RUN_TURN]: this.runTurn },
          // Without these it looks for files of tasks and times.
          crontab: '',
        });
        if (this.stopped) await this.runner.stop();
        await untilBroken(this.runner);
      } catch (error) {
        if (!this.stopped) this.logger.warn(`The queue is not to be had: ${(error as Error).message}`);
      }
      this.runner = undefined;
      if (!this.stopped) await sleep(RESTART_MILLIS);
    }
  }

  private readonly runTurn: Task = async (payload) => {
    const { turn_id: turnId } = payload as { turn_id: string };
    while (!this.turns.hasRoom && !this.stopped) await sleep(ROOM_MILLIS);
    // Another process takes the job, as one that failed.
    if (this.stopped) throw new Error('The service stops.');
    const claimed = await inTransaction(this.pool, async (sql) =>
      (await lockSessionOf(sql, turnId)) ? claimTurn(sql, turnId, this.turns.replicaId) : null,
    );
    if (claimed) this.turns.start(claimed);
  };

  private workerLogger(): Logger {
    return new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') this.logger.warn(message);
      else this.logger.debug(message);
    });
  }
}
