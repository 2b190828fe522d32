import { Database, type Transaction } from '@inference/database';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { RepeatingTask, ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { notifyReplicas, TURN_ENDED } from '../streams/stream-events.repository';
import { failTurn, interruptedError } from '../turns/turn-outcome';
import { TurnRunner } from '../turns/turn-runner';
import {
  enqueueTurn,
  findOrphanedTurn,
  findOrphanedTurns,
  findTurnOfReplica,
  findTurnsOfReplica,
  findTurnsWithoutJob,
  lockSessionOfTurn,
  type OpenTurn,
} from '../turns/turns.repository';

/**
 * Ends the turns of dead replicas as failed, compares the turns of this replica with the database, and enqueues turns whose job
 * was lost. Turns are not repeated, since their calls of the model may have been billed.
 */
@Injectable()
export class TurnRecoveryJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(TurnRecoveryJob.name);
  private readonly task: RepeatingTask;
  /** Turns that belonged to this replica in the database at the last run, but did not run here. */
  private missingAtLastRun = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly heartbeat: ReplicaHeartbeat,
    private readonly runner: TurnRunner,
  ) {
    this.task = new RepeatingTask(() => this.run(), heartbeat.intervalMillis);
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  async run(): Promise<void> {
    try {
      if (this.heartbeat.isListComplete) await this.failOrphaned();
      await this.reconcileOwnTurns();
      await this.enqueueWithoutJob();
      await this.heartbeat.deleteDead();
    } catch (error) {
      this.logger.warn(`Turns could not be recovered: ${(error as Error).message}`);
    }
  }

  private async failOrphaned(): Promise<void> {
    for (const id of await findOrphanedTurns(this.database))
      await this.failInterrupted(id, (transaction) => findOrphanedTurn(transaction, id));
  }

  /**
   * Abandons turns that other replicas have ended, in case their notification was lost. Fails turns that belong to this replica
   * in the database but do not run here, because they could not record their end.
   */
  private async reconcileOwnTurns(): Promise<void> {
    const { replicaId } = this.heartbeat;
    const runningBefore = this.runner.runningTurns;
    const stored = new Set(await findTurnsOfReplica(this.database, replicaId));
    for (const id of runningBefore) if (!stored.has(id)) this.runner.abandon(id);
    const runningNow = new Set(this.runner.runningTurns);
    const missing = [...stored].filter((id) => !runningNow.has(id));
    // A turn that has just been claimed or has just ended is missing in one run only.
    const missingTwice = missing.filter((id) => this.missingAtLastRun.has(id));
    this.missingAtLastRun = new Set(missing);
    for (const id of missingTwice)
      await this.failInterrupted(id, (transaction) => findTurnOfReplica(transaction, id, replicaId));
  }

  /** @param read repeats the condition of the search under the lock of the session */
  private async failInterrupted(
    id: string,
    read: (transaction: Transaction) => Promise<OpenTurn | null | undefined>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await lockSessionOfTurn(transaction, id))) return;
      const turn = await read(transaction);
      if (!turn) return;
      await failTurn(transaction, turn, interruptedError());
      await notifyReplicas(transaction, TURN_ENDED, id);
    });
    this.logger.warn(`The turn ${id} was interrupted.`);
  }

  private async enqueueWithoutJob(): Promise<void> {
    for (const id of await findTurnsWithoutJob(this.database)) await enqueueTurn(this.database, id);
  }
}
