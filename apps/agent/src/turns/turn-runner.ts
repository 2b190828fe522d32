import { setTimeout as sleep } from 'node:timers/promises';
import { Database, isDatabaseUnavailable, NotificationChannel, type Transaction } from '@inference/database';
import { Metrics } from '@inference/http';
import { type CallEnd, GatewayClient, type Refusal } from '@inference/model-calls';
import { type Span, traceWork } from '@inference/tracing';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { readModelLimits } from '../models/model-limits.repository';
import { MODELS_CONFIG, type ModelsConfig } from '../models/models.config';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { readPromptMessages } from '../session-log/prompt-messages';
import { nameBrokenOffCall, releaseIdempotencyKey } from '../session-log/session-events.repository';
import { DeltaWriter } from '../streams/delta-writer';
import { type StreamEvent } from '../streams/stream-event';
import {
  appendStreamEvent,
  deleteStreamEventsOfDeletedTurn,
  TURN_DELETED,
  TURN_ENDED,
} from '../streams/stream-events.repository';
import { StreamHub } from '../streams/stream-hub';
import { contextTooLongError, failTurn, INTERRUPTED, interruptedError, recordAnswer } from './turn-outcome';
import { TurnRun } from './turn-run';
import { TURNS_CONFIG, type TurnsConfig } from './turns.config';
import { type ClaimedTurn, isInCall, lockSessionOfTurn } from './turns.repository';

const RETRY_MILLIS = 250;
/** How long a turn waits for limits of its key or account. Chosen: limits of a minute free a part of it each minute. */
const LONGEST_WAIT_MILLIS = 600_000;
/** How long the database may be unavailable at the end of a turn. */
const OUTAGE_LIMIT_MILLIS = 20_000;

/** Until a call that a limit has refused may be made; null for every other end. */
function limitWaitOf({ refusal }: CallEnd): number | null {
  if (!refusal || refusal.limit === undefined || refusal.retryAfter === undefined) return null;
  const seconds = Number(refusal.retryAfter);
  return Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : null;
}

/** Runs the turns that this process has claimed: calls the model, stores its answer, and records the end of the turn. */
@Injectable()
export class TurnRunner {
  private readonly logger = new Logger(TurnRunner.name);
  private readonly runs = new Map<string, TurnRun>();
  private readonly gauge: Gauge;

  constructor(
    private readonly database: Database,
    @Inject(TURNS_CONFIG) private readonly config: TurnsConfig,
    @Inject(MODELS_CONFIG) private readonly modelsConfig: ModelsConfig,
    private readonly gateway: GatewayClient,
    private readonly heartbeat: ReplicaHeartbeat,
    private readonly writer: DeltaWriter,
    private readonly hub: StreamHub,
    channel: NotificationChannel,
    metrics: Metrics,
  ) {
    for (const end of [TURN_ENDED, TURN_DELETED]) channel.on(end, (turnId) => this.abandon(turnId));
    this.gauge = new Gauge({
      name: 'agent_running_turns',
      help: 'Turns that run in this process.',
      registers: [metrics.registry],
    });
    new Gauge({
      name: 'agent_max_running_turns',
      help: 'Most turns that run in this process.',
      registers: [metrics.registry],
    }).set(config.maxRunningTurns);
  }

  get hasFreePlace(): boolean {
    return this.runs.size < this.config.maxRunningTurns;
  }

  get isIdle(): boolean {
    return this.runs.size === 0;
  }

  get runningTurns(): string[] {
    return [...this.runs.keys()];
  }

  /** Stops a turn without recording its end, because another replica has ended it or may end it. */
  abandon(turnId: string): void {
    this.runs.get(turnId)?.abandon();
  }

  /**
   * @param eventId event whose idempotency key is released if the gateway refuses the call before its request is answered
   * @param traceparent the trace of the request that queued the turn; without it the turn belongs to the trace of the caller
   */
  start(turn: ClaimedTurn, eventId?: string, traceparent?: string): TurnRun {
    const write = (run: TurnRun, text: string) => this.writer.add(run, text, this.heartbeat.replicaId);
    const run = new TurnRun(turn, write, eventId);
    this.runs.set(turn.id, run);
    this.gauge.set(this.runs.size);
    this.hub.startLocal(turn.id);
    const execute = (span: Span | undefined) => this.execute(run, span);
    void traceWork('run turn', { 'inference.turn.id': turn.id }, execute, traceparent);
    return run;
  }

  /** Records all running turns as failed because the process stops. */
  async interruptAll(): Promise<void> {
    const runs = [...this.runs.values()];
    await Promise.allSettled(runs.map((run) => this.conclude(run, { refusal: interruptedError() })));
  }

  /** Aborts all calls of models. */
  abandonAll(): void {
    for (const turnId of this.runningTurns) this.abandon(turnId);
  }

  private async execute(run: TurnRun, span: Span | undefined): Promise<void> {
    try {
      const end = await this.callModel(run);
      if (end.refusal) span?.fail(end.refusal.code);
      await run.written();
      if (run.isAbandoned) await this.cleanUp(run, end);
      else await this.conclude(run, end);
      run.settleAdmission(end.answer ? null : end.refusal);
    } catch (error) {
      this.logger.error(error);
      span?.fail(error);
      run.settleAdmission(interruptedError());
    } finally {
      // The turn may already run again, in its next call of the model.
      if (this.runs.get(run.turnId) === run) {
        this.runs.delete(run.turnId);
        this.hub.endLocal(run.turnId);
      }
      this.gauge.set(this.runs.size);
    }
  }

  /** Deletes text that was stored while the session of the turn was being deleted; names the call that was broken off. */
  private async cleanUp({ turnId }: TurnRun, { answer }: CallEnd): Promise<void> {
    await this.writer.flushed();
    await deleteStreamEventsOfDeletedTurn(this.database, turnId);
    if (answer?.requestId) await nameBrokenOffCall(this.database, turnId, answer.requestId);
  }

  private async callModel(run: TurnRun): Promise<CallEnd> {
    const { turn, signal } = run;
    const model = turn.model ?? this.modelsConfig.defaultModel;
    const messages = await readPromptMessages(
      this.database,
      turn,
      await readModelLimits(this.database, model),
    );
    if (!messages) return { refusal: contextTooLongError() };
    const { accountId, apiKeyId, tools, id: requestId } = turn;
    const payer = { accountId, ...(apiKeyId !== null && { apiKeyId }) };
    for (let waitedMillis = 0; ;) {
      // Each call leaves a listener on its signal.
      const attempt = { model, messages, tools, requestId, signal: AbortSignal.any([signal]) };
      const end = await this.gateway.call({ ...payer, ...attempt }, run);
      const waitMillis = limitWaitOf(end);
      if (waitMillis === null || waitedMillis + waitMillis > LONGEST_WAIT_MILLIS) return end;
      await this.showWaiting(run, end.refusal!, waitMillis);
      await sleep(waitMillis, undefined, { signal }).catch(() => undefined);
      if (run.isAbandoned) return end;
      waitedMillis += waitMillis;
    }
  }

  /** Tells the clients that the turn waits for a limit. Whoever posted its event is answered now. */
  private async showWaiting(run: TurnRun, { limit }: Refusal, waitMillis: number): Promise<void> {
    const { turn } = run;
    const data = { turn_id: turn.id, limit: limit!, retry_after_seconds: waitMillis / 1000 };
    const events = await this.database.transaction(async (transaction) => {
      if (!(await lockSessionOfTurn(transaction, turn.id))) return [];
      if (!(await isInCall(transaction, turn, this.heartbeat.replicaId))) return [];
      return [await appendStreamEvent(transaction, turn.id, 'turn.waiting', data)];
    });
    for (const { n } of events) run.lastPosition = n;
    this.hub.publish(run.turnId, events);
    run.settleAdmission(null);
  }

  /** Records the end of a turn, unless another replica has ended it, and sends it to the clients. */
  private async conclude(run: TurnRun, end: CallEnd): Promise<void> {
    const deadline = performance.now() + OUTAGE_LIMIT_MILLIS;
    for (;;) {
      try {
        const events = await this.database.transaction((transaction) => this.record(transaction, run, end));
        return this.hub.publish(run.turnId, events);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
        // If the failed attempt was committed, the turn has no runner any more, so nothing is recorded twice.
        await sleep(RETRY_MILLIS);
      }
    }
  }

  private async record(transaction: Transaction, run: TurnRun, end: CallEnd): Promise<StreamEvent[]> {
    const { turn, refusableEventId } = run;
    if (!(await lockSessionOfTurn(transaction, turn.id))) return [];
    if (!(await isInCall(transaction, turn, this.heartbeat.replicaId))) {
      if (end.answer?.requestId) await nameBrokenOffCall(transaction, turn.id, end.answer.requestId);
      return [];
    }
    if (!end.refusal) return recordAnswer(transaction, turn, end.answer);
    // A call that was interrupted may have been billed: the same request must not run again.
    if (end.refusal.code !== INTERRUPTED && !end.answer && refusableEventId !== undefined)
      await releaseIdempotencyKey(transaction, refusableEventId);
    return failTurn(transaction, turn, end.refusal, end.answer);
  }
}
