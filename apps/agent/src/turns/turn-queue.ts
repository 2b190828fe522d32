import { setTimeout as sleep } from 'node:timers/promises';
import { Database, JOB_SCHEMAS, type Transaction } from '@inference/database';
import { createJobPool, JobMetrics, JobWorker } from '@inference/jobs';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { appendStreamEvent } from '../streams/stream-events.repository';
import { TurnRunner } from './turn-runner';
import { TURNS_CONFIG, type TurnsConfig } from './turns.config';
import {
  type ClaimedTurn,
  claimQueuedTurn,
  lockSessionOfTurn,
  RUN_TURN,
  setCallPosition,
  type TurnJob,
} from './turns.repository';

/** Jobs that are taken at a time. A job is done once its turn has begun; MAX_RUNNING_TURNS limits how many run. */
const CONCURRENCY = 4;
/** How often a job that waits for a free place looks for one. */
const FREE_PLACE_POLL_MILLIS = 100;

/** Takes queued turns and runs them in this process while it has a free place. */
@Injectable()
export class TurnQueue implements OnApplicationBootstrap {
  private readonly jobPool;
  private readonly worker: JobWorker;

  constructor(
    private readonly database: Database,
    @Inject(TURNS_CONFIG) { databaseUrl }: TurnsConfig,
    private readonly heartbeat: ReplicaHeartbeat,
    private readonly turnRunner: TurnRunner,
    metrics: JobMetrics,
  ) {
    this.jobPool = createJobPool(databaseUrl, 'agent queue', [CONCURRENCY]);
    this.worker = new JobWorker({
      pool: this.jobPool,
      schema: JOB_SCHEMAS.agent,
      concurrency: CONCURRENCY,
      logger: new Logger(TurnQueue.name),
      metrics,
      tasks: (signal) => ({
        [RUN_TURN]: (payload) => this.runTurn(payload as TurnJob, signal),
      }),
    });
  }

  onApplicationBootstrap(): void {
    this.worker.start();
  }

  /** Takes no more jobs, and resolves when those that were taken are done. */
  async stop(): Promise<void> {
    await this.worker.stop();
    await this.jobPool.end();
  }

  private async runTurn({ turn_id: turnId, traceparent }: TurnJob, signal: AbortSignal): Promise<void> {
    while (!this.turnRunner.hasFreePlace && !signal.aborted) await sleep(FREE_PLACE_POLL_MILLIS);
    // The job counts as failed; another replica takes it.
    if (signal.aborted) throw new Error('The service stops.');
    const { replicaId } = this.heartbeat;
    const claimed = await this.database.transaction(async (transaction) =>
      (await lockSessionOfTurn(transaction, turnId)) ? claimTurn(transaction, turnId, replicaId) : null,
    );
    if (claimed) this.turnRunner.start(claimed, undefined, traceparent);
  }
}

/**
 * Makes this replica the one that runs a queued turn; returns null if the turn is not to run now. The replica that has claimed a
 * turn calls the model for it once: if the process dies, the call is not repeated, since it may have been billed.
 * The transaction has locked the session.
 */
export async function claimTurn(
  transaction: Transaction,
  turnId: string,
  replicaId: string,
): Promise<ClaimedTurn | null> {
  const turn = await claimQueuedTurn(transaction, turnId, replicaId);
  if (!turn || turn.callPosition > 0) return turn ?? null;
  const { n } = await appendStreamEvent(transaction, turn.id, 'turn.started', { turn_id: turn.id });
  await setCallPosition(transaction, turn.id, n);
  return { ...turn, callPosition: n };
}
