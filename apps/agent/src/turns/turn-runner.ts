import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  inTransaction,
  isDatabaseUnavailable,
  newId,
  NotificationChannel,
  SQL_POOL,
  type SqlPool,
} from '@inference/database';
import { Metrics } from '@inference/http';
import { type CallEnd, ModelGateway } from '@inference/model-calls';
import { type PoolClient } from 'pg';
import { Gauge } from 'prom-client';
import { AGENT_CONFIG, type AgentConfig, limitsOf } from '../config';
import { type Frame } from '../frames/frame';
import { FrameStore } from '../frames/frame-store';
import { FrameWriter } from '../frames/frame-writer';
import { TURN_DELETED, TURN_ENDED, TurnFeeds } from '../frames/turn-feeds';
import { type ClaimedTurn, lockSessionOf } from './claims';
import { readConversation } from './conversation';
import { INTERRUPTED, interrupted, tooLong } from './refusals';
import { TurnRun } from './turn-run';
import { concludeAnswer, failTurn } from './turn-log';

const RETRY_MILLIS = 250;
/** How long the database may be away at the end of a turn. */
const PATIENCE_MILLIS = 20_000;

/** And still at the same call of the model. */
const IS_OURS = 'SELECT FROM agent.turns WHERE id = $1 AND runner = $2 AND call_frame = $3';
const FREE_KEY = 'UPDATE agent.events SET idempotency_key = NULL, fingerprint = NULL WHERE id = $1';

/** Runs the turns that this process has claimed: calls the model, keeps what it says, and records how it ended. */
@Injectable()
export class TurnRunner {
  /** Names this process among the replicas; a new one for each start. */
  readonly replicaId = newId('rep');
  private readonly logger = new Logger(TurnRunner.name);
  private readonly runs = new Map<string, TurnRun>();
  private readonly gauge: Gauge;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
    private readonly models: ModelGateway,
    private readonly writer: FrameWriter,
    private readonly feeds: TurnFeeds,
    private readonly frames: FrameStore,
    channel: NotificationChannel,
    metrics: Metrics,
  ) {
    for (const end of [TURN_ENDED, TURN_DELETED]) channel.on(end, (turnId) => this.lose(turnId));
    this.gauge = new Gauge({
      name: 'agent_running_turns',
      help: 'Turns that run in this process.',
      registers: [metrics.registry],
    });
  }

  get hasRoom(): boolean {
    return this.runs.size < this.config.MAX_RUNNING_TURNS;
  }

  get isIdle(): boolean {
    return this.runs.size === 0;
  }

  get runningTurns(): string[] {
    return [...this.runs.keys()];
  }

  /** Others have ended it, or may end it: nothing more of it is written. */
  lose(turnId: string): void {
    this.runs.get(turnId)?.onLost();
  }

  /** @param eventId whose idempotency key is given back should the gateway refuse the call before a stream has begun */
  start(turn: ClaimedTurn, eventId?: string): TurnRun {
    const write = (run: TurnRun, text: string) => this.writer.add(run, text, this.replicaId);
    const run = new TurnRun(turn, write, eventId);
    this.runs.set(turn.id, run);
    this.gauge.set(this.runs.size);
    this.feeds.startLocal(turn.id);
    void this.execute(run);
    return run;
  }

  /** The process has to end: records that what still runs has failed. */
  async interruptAll(): Promise<void> {
    const runs = [...this.runs.values()];
    await Promise.allSettled(runs.map((run) => this.conclude(run, { refusal: interrupted() })));
  }

  /** Leaves the models, recorded or not. */
  loseAll(): void {
    for (const turnId of this.runningTurns) this.lose(turnId);
  }

  private async execute(run: TurnRun): Promise<void> {
    try {
      const end = await this.callModel(run);
      await run.written();
      if (run.lost) await this.clearAway(run);
      else await this.conclude(run, end);
      run.refused(end.answer ? null : end.refusal);
    } catch (error) {
      this.logger.error(error);
      run.refused(interrupted());
    } finally {
      // Its next call of the model may have begun.
      if (this.runs.get(run.turnId) === run) {
        this.runs.delete(run.turnId);
        this.feeds.endLocal(run.turnId);
      }
      this.gauge.set(this.runs.size);
    }
  }

  /** The turn was ended elsewhere, or deleted: while its text was being written, too. */
  private async clearAway({ turnId }: TurnRun): Promise<void> {
    await this.writer.idle();
    await this.frames.deleteIfGone(turnId);
  }

  private async callModel(run: TurnRun): Promise<CallEnd> {
    const { turn, signal } = run;
    const model = turn.model ?? this.config.DEFAULT_MODEL;
    const messages = await readConversation(this.pool, turn, limitsOf(this.config, model));
    if (!messages) return { refusal: tooLong() };
    const { accountId, apiKeyId, tools, id: requestId } = turn;
    return this.models.call({ accountId, apiKeyId, model, messages, tools, requestId, signal }, run);
  }

  /** Records the end of a turn that is still ours, and shows it to its readers. */
  private async conclude(run: TurnRun, end: CallEnd): Promise<void> {
    const givenUpAt = performance.now() + PATIENCE_MILLIS;
    for (;;) {
      try {
        const frames = await inTransaction(this.pool, (sql) => this.record(sql, run, end));
        return this.feeds.publish(run.turnId, frames);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > givenUpAt) throw error;
        // Should it have taken effect all the same, the turn is not ours any more and nothing is done twice.
        await sleep(RETRY_MILLIS);
      }
    }
  }

  private async record(sql: PoolClient, run: TurnRun, end: CallEnd): Promise<Frame[]> {
    const { turn, refusableEventId } = run;
    if (!(await lockSessionOf(sql, turn.id))) return [];
    if ((await sql.query(IS_OURS, [turn.id, this.replicaId, turn.callFrame])).rowCount === 0) return [];
    if (!end.refusal) return concludeAnswer(sql, turn, end.answer);
    // What has stopped in the middle may have been billed: the same request is not to run again.
    if (end.refusal.code !== INTERRUPTED && !end.answer && refusableEventId !== undefined)
      await sql.query(FREE_KEY, [refusableEventId]);
    return failTurn(sql, turn, end.refusal, end.answer);
  }
}
