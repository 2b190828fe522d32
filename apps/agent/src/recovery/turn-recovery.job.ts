import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { RepeatingTask } from '../replicas/repeating-task';
import { notifyReplicas, TURN_ENDED } from '../streams/turn-notifications';
import { lockSessionOfTurn, OPEN_TURN_COLUMNS, type OpenTurn } from '../turns/turn';
import { interruptedError } from '../turns/turn-errors';
import { enqueueTurn } from '../turns/turn-job';
import { failTurn } from '../turns/turn-outcome';
import { TurnRunner } from '../turns/turn-runner';

/** Most turns that one run recovers. */
const BATCH_TURNS = 200;
/** A turn that could run but has no job in the queue for so long is enqueued again. */
const LOST_JOB_SECONDS = 10;

const FIND_ORPHANED = `
  SELECT t.id FROM agent.turns t
  WHERE t.status = 'running' AND NOT EXISTS (
    SELECT FROM agent.replicas r WHERE r.id = t.runner AND r.expires_at > clock_timestamp()
  ) LIMIT ${BATCH_TURNS}`;
/** Repeats the condition of FIND_ORPHANED under the lock of the session. */
const READ_ORPHANED = `
  SELECT ${OPEN_TURN_COLUMNS} FROM agent.turns t
  WHERE t.id = $1 AND t.status = 'running' AND NOT EXISTS (
    SELECT FROM agent.replicas r WHERE r.id = t.runner AND r.expires_at > clock_timestamp()
  )`;
const FIND_OWN = `SELECT id FROM agent.turns WHERE runner = $1 AND status = 'running'`;
const READ_OWN = `SELECT ${OPEN_TURN_COLUMNS} FROM agent.turns WHERE id = $1 AND runner = $2`;
const FIND_WITHOUT_JOB = `
  SELECT q.id FROM (
    SELECT DISTINCT ON (session_id) id, session_id, created_at FROM agent.turns
    WHERE status = 'queued' ORDER BY session_id, number
  ) q
  WHERE q.created_at < clock_timestamp() - make_interval(secs => ${LOST_JOB_SECONDS})
    AND NOT EXISTS (
      SELECT FROM agent.turns o
      WHERE o.session_id = q.session_id AND o.status IN ('running', 'requires_action')
    )
    AND NOT EXISTS (SELECT FROM agent_jobs.jobs j WHERE j.key = q.id AND j.locked_at IS NULL)
  LIMIT ${BATCH_TURNS}`;

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
    const { rows } = await this.database.query<{ id: string }>(FIND_ORPHANED);
    for (const { id } of rows)
      await this.failInterrupted(id, (sql) => sql.query<OpenTurn>(READ_ORPHANED, [id]));
  }

  /**
   * Abandons turns that other replicas have ended, in case their notification was lost. Fails turns that belong to this replica
   * in the database but do not run here, because they could not record their end.
   */
  private async reconcileOwnTurns(): Promise<void> {
    const { replicaId } = this.heartbeat;
    const runningBefore = this.runner.runningTurns;
    const { rows } = await this.database.query<{ id: string }>(FIND_OWN, [replicaId]);
    const stored = new Set(rows.map(({ id }) => id));
    for (const id of runningBefore) if (!stored.has(id)) this.runner.abandon(id);
    const runningNow = new Set(this.runner.runningTurns);
    const missing = [...stored].filter((id) => !runningNow.has(id));
    // A turn that has just been claimed or has just ended is missing in one run only.
    const missingTwice = missing.filter((id) => this.missingAtLastRun.has(id));
    this.missingAtLastRun = new Set(missing);
    for (const id of missingTwice)
      await this.failInterrupted(id, (sql) => sql.query<OpenTurn>(READ_OWN, [id, replicaId]));
  }

  private async failInterrupted(
    id: string,
    read: (sql: Sql) => Promise<{ rows: OpenTurn[] }>,
  ): Promise<void> {
    await this.database.transaction(async (sql) => {
      if (!(await lockSessionOfTurn(sql, id))) return;
      const turn = (await read(sql)).rows[0];
      if (!turn) return;
      await failTurn(sql, turn, interruptedError());
      await notifyReplicas(sql, TURN_ENDED, id);
    });
    this.logger.warn(`The turn ${id} was interrupted.`);
  }

  private async enqueueWithoutJob(): Promise<void> {
    const { rows } = await this.database.query<{ id: string }>(FIND_WITHOUT_JOB);
    for (const { id } of rows) await enqueueTurn(this.database, id);
  }
}
