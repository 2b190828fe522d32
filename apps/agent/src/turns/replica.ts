import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { inTransaction, SQL_POOL, type Sql, type SqlPool } from '@inference/database';
import { AGENT_CONFIG, type AgentConfig } from '../config';
import { FRAME_POOL } from '../frames/frame-pool';
import { lockSessionOf } from './claims';
import { interrupted } from './refusals';
import { addTurnJob } from './turn-jobs';
import { failTurn, notifyEnded, type OpenTurn } from './turn-log';
import { TurnRunner } from './turn-runner';

/** Renewals and looks at the others in the life of a replica. */
const BEATS_PER_TTL = 4;
const AT_ONCE = 200;
/** How long a turn may wait in vain before it is taken for forgotten. */
const FORGOTTEN_SECONDS = 10;

const RENEW = `
  INSERT INTO agent.replicas (id, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`;
const LEAVE = 'DELETE FROM agent.replicas WHERE id = $1';
const FORGET_DEAD = `DELETE FROM agent.replicas WHERE expires_at < clock_timestamp() - interval '1 hour'`;
const OPEN_TURN = `id, session_id AS "sessionId", number, status, call_frame AS "callFrame"`;
const ORPHANED = `
  SELECT t.id FROM agent.turns t
  WHERE t.status = 'running' AND NOT EXISTS (
    SELECT FROM agent.replicas r WHERE r.id = t.runner AND r.expires_at > clock_timestamp()
  ) LIMIT ${AT_ONCE}`;
/** Once more, now that nothing in the session moves. */
const STILL_ORPHANED = `
  SELECT ${OPEN_TURN} FROM agent.turns t
  WHERE t.id = $1 AND t.status = 'running' AND NOT EXISTS (
    SELECT FROM agent.replicas r WHERE r.id = t.runner AND r.expires_at > clock_timestamp()
  )`;
const OWN = `SELECT id FROM agent.turns WHERE runner = $1 AND status = 'running'`;
const STILL_OWN = `SELECT ${OPEN_TURN} FROM agent.turns WHERE id = $1 AND runner = $2`;
const FORGOTTEN = `
  SELECT q.id FROM (
    SELECT DISTINCT ON (session_id) id, session_id, created_at FROM agent.turns
    WHERE status = 'queued' ORDER BY session_id, number
  ) q
  WHERE q.created_at < clock_timestamp() - make_interval(secs => ${FORGOTTEN_SECONDS})
    AND NOT EXISTS (
      SELECT FROM agent.turns o
      WHERE o.session_id = q.session_id AND o.status IN ('running', 'requires_action')
    )
    AND NOT EXISTS (SELECT FROM agent_jobs.jobs j WHERE j.key = q.id AND j.locked_at IS NULL)
  LIMIT ${AT_ONCE}`;

/**
 * Keeps this process on the list of the living, and ends the turns of those that have left it: they have failed, and are
 * not repeated, since their calls of the model may be paid for.
 */
@Injectable()
export class Replica implements OnApplicationBootstrap {
  private readonly logger = new Logger(Replica.name);
  private timers: NodeJS.Timeout[] = [];
  private readonly underway = new Set<Promise<void>>();
  /** In touch with the database without a break since then; null while it is away. */
  private inTouchSince: number | null = null;
  private unaccounted = new Set<string>();

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(FRAME_POOL) private readonly ownPool: SqlPool,
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
    private readonly runner: TurnRunner,
  ) {}

  /** By the time it listens it is on the list, if the database is there. */
  async onApplicationBootstrap(): Promise<void> {
    await this.renew();
    this.every(() => this.renew());
    this.every(() => this.lookAfterTurns());
  }

  /** Its turns have ended. */
  async leave(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.underway);
    await this.ownPool.query(LEAVE, [this.runner.replicaId]).catch(() => undefined);
  }

  /** Never twice at a time; what takes long makes the next one late, not the others. */
  private every(work: () => Promise<void>): void {
    let running: Promise<void> | undefined;
    const start = () => {
      if (running) return;
      running = work().finally(() => {
        this.underway.delete(running!);
        running = undefined;
      });
      this.underway.add(running);
    };
    this.timers.push(setInterval(start, (this.config.REPLICA_TTL_SECONDS * 1000) / BEATS_PER_TTL));
  }

  private async renew(): Promise<void> {
    try {
      await this.ownPool.query(RENEW, [this.runner.replicaId, this.config.REPLICA_TTL_SECONDS]);
      this.inTouchSince ??= performance.now();
    } catch (error) {
      this.inTouchSince = null;
      this.logger.warn(
        `This process could not renew its place among the replicas: ${(error as Error).message}`,
      );
    }
  }

  private async lookAfterTurns(): Promise<void> {
    const { inTouchSince } = this;
    try {
      // After an outage nobody is on the list; everyone gets the time to come back to it.
      if (inTouchSince !== null && performance.now() - inTouchSince >= this.config.REPLICA_TTL_SECONDS * 1000)
        await this.endOrphans();
      await this.compareTurns();
      await this.remindOfForgotten();
      await this.pool.query(FORGET_DEAD);
    } catch (error) {
      this.logger.warn(`The turns of other processes could not be looked after: ${(error as Error).message}`);
    }
  }

  private async endOrphans(): Promise<void> {
    const { rows } = await this.pool.query<{ id: string }>(ORPHANED);
    for (const { id } of rows) await this.endTurn(id, (sql) => sql.query<OpenTurn>(STILL_ORPHANED, [id]));
  }

  /**
   * Compares the turns that run here with those that do on record. What others have ended runs here no more, though nobody
   * may have said so; and a turn on record that nothing here runs has failed to record its end.
   */
  private async compareTurns(): Promise<void> {
    const runningBefore = this.runner.runningTurns;
    const { rows } = await this.pool.query<{ id: string }>(OWN, [this.runner.replicaId]);
    const onRecord = new Set(rows.map(({ id }) => id));
    for (const id of runningBefore) if (!onRecord.has(id)) this.runner.lose(id);
    const runningNow = new Set(this.runner.runningTurns);
    const unaccounted = [...onRecord].filter((id) => !runningNow.has(id));
    // One that has just been claimed, or has just ended, will not be there the next time.
    const twice = unaccounted.filter((id) => this.unaccounted.has(id));
    this.unaccounted = new Set(unaccounted);
    for (const id of twice)
      await this.endTurn(id, (sql) => sql.query<OpenTurn>(STILL_OWN, [id, this.runner.replicaId]));
  }

  private async endTurn(id: string, find: (sql: Sql) => Promise<{ rows: OpenTurn[] }>): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      if (!(await lockSessionOf(sql, id))) return;
      const turn = (await find(sql)).rows[0];
      if (!turn) return;
      await failTurn(sql, turn, interrupted());
      await notifyEnded(sql, id);
    });
    this.logger.warn(`The turn ${id} was interrupted.`);
  }

  private async remindOfForgotten(): Promise<void> {
    const { rows } = await this.pool.query<{ id: string }>(FORGOTTEN);
    for (const { id } of rows) await addTurnJob(this.pool, id);
  }
}
