import { Database, isDatabaseUnavailable, newId } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DatabaseError } from 'pg';
import { GatewayError } from '../errors/openai-error';
import { type Hold } from '../leases/lease';
import { SettlementMetrics, type Unsettled } from './settlement-metrics';
import { SETTLEMENT_CONFIG, type SettlementConfig } from './settlement.config';
import { type Decision, type SettlementWrite, writeBatch } from './settlement.repository';
import { type UndecidedBatch, UndecidedBatches } from './undecided-batches';
import { toSettlementRow, type UsageEvent } from './usage-event';
import { UsageFolder } from './usage-folder';

/** The request cost more than its hold, and neither the lease nor the wallet's free money covers the difference. */
export class NotCoveredError extends GatewayError {
  constructor() {
    super(
      'insufficient_balance',
      'The wallet did not cover what this request came to. It was not completed and is not charged.',
    );
  }
}

/** The usage event was not written, and never will be: the request is free. */
export class BillingUnavailableError extends GatewayError {
  constructor() {
    super('billing_unavailable', 'The request could not be billed and was not completed. It is not charged.');
  }
}

/** The database did not tell whether the usage event was written. */
export class BillingUnknownError extends GatewayError {
  constructor(requestId: string) {
    super(
      'billing_unknown',
      `The request was not completed and may have been charged. The console shows the result for ${requestId}.`,
    );
  }
}

/** SQLSTATEs after which the same batch may succeed: deadlock, serialization failure, statement or lock timeout, disk or memory full. */
const TRANSIENT_SQLSTATE = new Set(['40P01', '40001', '57014', '55P03', '53100', '53200']);

/** Whether the same statement may succeed later. */
function isTransient(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return (
    isDatabaseUnavailable(error) ||
    TRANSIENT_SQLSTATE.has(code) ||
    /query.*timeout|timeout.*query/i.test(String(error))
  );
}

/** Whether the database has refused the statement for good, so that it is not committed. */
const isPermanent = (error: unknown): boolean => error instanceof DatabaseError && !isTransient(error);

interface Pending {
  event: UsageEvent;
  hold: Hold;
  /** On the clock of performance.now(). */
  sinceMillis: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** What becomes of events that nothing was sent of, or of a batch that the database will not store. */
const REFUSED: Decision = { refused: true, notCovered: new Set() };

/** Most events of one batch. Twice makes each event wait for twice as many others; half doubles the number of transactions under load. */
const MAX_BATCH_EVENTS = 500;
/** Pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MILLIS = 50;
const MAX_PAUSE_MILLIS = 1_000;
/** How often events that wait for another batch are looked through for those that have waited for too long. */
const OVERDUE_CHECK_MILLIS = 500;
/**
 * A batch is tried at least for this long, also if its oldest event has waited for most of its patience: half would refuse five hundred
 * events for the sake of one where a database needs a moment after a standstill.
 */
const LEAST_PATIENCE_MILLIS = 1_000;
/**
 * How long a settlement is retried once the process stops. Chosen: at twice the whole stop takes longer than the launcher waits; at half a
 * database that is started again at that moment is too late.
 */
const SHUTDOWN_PATIENCE_MILLIS = 5_000;

/** An attempt may have been committed: writing its events again under other batch ids could debit them twice. */
class UnknownOutcomeError extends Error {
  constructor(
    readonly batch: UndecidedBatch,
    options: ErrorOptions,
  ) {
    super('Whether the batch was settled is unknown.', options);
  }
}

/**
 * Writes usage events in batches (group commit): events that arrive while a batch is being written form the next one. A batch is appended
 * without a lock of a wallet; what the leases do not cover is settled in a second transaction.
 * A batch keeps its id when it is retried, so that a batch whose confirmation was lost is not debited twice. When the retries end, the
 * batch is refused under the same id, so that a late attempt does not debit it either.
 */
@Injectable()
export class SettlementBatcher implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(SettlementBatcher.name);
  private queue: Pending[] = [];
  /** The events that are being written. */
  private current: Pending[] = [];
  private running: Promise<void> | undefined;
  /** On the clock of performance.now(). */
  private stoppingSinceMillis: number | undefined;
  private readonly undecided: UndecidedBatches;

  constructor(
    private readonly database: Database,
    @Inject(SETTLEMENT_CONFIG) private readonly config: SettlementConfig,
    private readonly metrics: SettlementMetrics,
    private readonly folder: UsageFolder,
  ) {
    this.undecided = new UndecidedBatches(database);
    metrics.watch(() => this.unsettled);
  }

  /**
   * Resolves when the event is durable and debited. Rejects with NotCoveredError and leaves the hold untouched if neither
   * the lease nor the wallet's free money covers the cost; with BillingUnavailableError if the event was not written and never
   * will be, at the latest some seconds after its own patience, whatever it waited for; with BillingUnknownError if the database does not tell: then the money stays reserved until it does.
   */
  settle(event: UsageEvent, hold: Hold): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ event, hold, sinceMillis: performance.now(), resolve, reject });
      this.running ??= this.drain();
    });
  }

  onModuleDestroy(): void {
    this.stoppingSinceMillis = performance.now();
  }

  beforeApplicationShutdown(): void {
    this.undecided.beginShutdown();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
    await this.undecided.ended();
    await this.folder.stop();
  }

  private get unsettled(): Unsettled {
    const oldest = this.current[0] ?? this.queue[0];
    return {
      events: this.current.length + this.queue.length,
      undecided: this.undecided.events,
      oldestSeconds: oldest ? (performance.now() - oldest.sinceMillis) / 1_000 : 0,
    };
  }

  private async drain(): Promise<void> {
    // Requests that end in the same turn of the event loop share the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    const overdueCheck = setInterval(() => this.refuseOverdue(), OVERDUE_CHECK_MILLIS);
    try {
      while (this.queue.length > 0) {
        await this.folder.makeRoom();
        this.current = this.queue.splice(0, MAX_BATCH_EVENTS);
        await this.commit(this.current, 'append');
        this.current = [];
      }
    } finally {
      clearInterval(overdueCheck);
    }
    // Not in a later microtask: an event that came in between would wait for the next one.
    this.running = undefined;
  }

  /** Ends the calls that have waited for another batch for as long as they may: nothing was sent of them, so they are free. */
  private refuseOverdue(): void {
    const due = this.queue.findIndex((pending) => !this.isOverdue(pending));
    const overdue = this.queue.splice(0, due === -1 ? this.queue.length : due);
    if (overdue.length === 0) return;
    this.logger.warn(`${overdue.length} events waited for another batch for too long and are refused.`);
    this.conclude(overdue, REFUSED);
  }

  private isOverdue({ sinceMillis }: Pending): boolean {
    return performance.now() > this.deadlineOf(sinceMillis);
  }

  private async commit(batch: Pending[], write: SettlementWrite): Promise<void> {
    const startedAt = performance.now();
    const count = (outcome: 'settled' | 'failed') =>
      this.metrics.countBatch(outcome, (performance.now() - startedAt) / 1_000);
    try {
      const decision = await this.write(newId('stl'), batch, write);
      count(decision.refused ? 'failed' : 'settled');
      const { refused, notCovered } = decision;
      if (write === 'settle' || refused || notCovered.size === 0) {
        this.conclude(batch, decision);
        return;
      }
      const isCovered = ({ event }: Pending) => !notCovered.has(event.requestId);
      this.conclude(batch.filter(isCovered), { refused, notCovered: new Set() });
      this.current = batch.filter((pending) => !isCovered(pending));
      await this.commit(this.current, 'settle');
    } catch (error) {
      if (error instanceof UnknownOutcomeError) {
        count('failed');
        this.logger.error(error.cause);
        this.leaveUndecided(batch, error.batch);
        return;
      }
      if (batch.length > 1) {
        // Write the events one by one, so that one invalid event does not fail the others.
        for (const [index, pending] of batch.entries()) {
          this.current = batch.slice(index);
          if (this.isOverdue(pending)) this.conclude([pending], REFUSED);
          else await this.commit([pending], write);
        }
        return;
      }
      count('failed');
      this.logger.error(error);
      this.conclude(batch, REFUSED);
    }
  }

  private conclude(batch: Pending[], { refused, notCovered }: Decision): void {
    const free = refused ? batch.length : notCovered.size;
    this.metrics.countEvents(refused ? 'failed' : 'not_covered', free);
    this.metrics.countEvents('settled', batch.length - free);
    for (const { event, hold, resolve, reject } of batch) {
      if (refused) {
        hold.release();
        reject(new BillingUnavailableError());
      } else if (notCovered.has(event.requestId)) {
        this.logger.warn(`Request ${event.requestId} of ${event.accountId} was not covered.`);
        reject(new NotCoveredError());
      } else {
        hold.settle(event.charge.costPicos);
        resolve();
      }
    }
  }

  /** Ends the requests of the batch. Their money stays reserved until it is known whether they were charged. */
  private leaveUndecided(batch: Pending[], undecided: UndecidedBatch): void {
    this.metrics.countEvents('unknown', batch.length);
    const reserved = batch.map(({ event, hold, reject }) => {
      const successor = hold.handOver();
      reject(new BillingUnknownError(event.requestId));
      return { event, hold: successor };
    });
    this.undecided.add(undecided, (decision) => {
      for (const { event, hold } of reserved) {
        if (!decision) hold.abandon();
        else if (decision.refused) hold.release();
        // Left out of an append, or not covered by the wallet: settlement decides, or says so again.
        else if (decision.notCovered.has(event.requestId))
          this.settle(event, hold).catch(() => hold.release());
        else hold.settle(event.charge.costPicos);
      }
    });
  }

  /**
   * Writes the batch and retries it under the same id while the database is unavailable; then refuses it. Throws
   * UnknownOutcomeError if that fails too, and otherwise the error for which the batch cannot be stored.
   */
  private async write(id: string, batch: Pending[], write: SettlementWrite): Promise<Decision> {
    const rows = JSON.stringify(
      batch.map(({ event, hold }) =>
        toSettlementRow(event, hold, scaledToDecimal(event.usdPerUnit, RATE_DIGITS)),
      ),
    );
    const startedAt = performance.now();
    const patienceEnds = () => {
      const least = startedAt + Math.min(LEAST_PATIENCE_MILLIS, this.config.retryTimeoutSeconds * 1_000);
      return Math.max(least, this.deadlineOf(batch[0]!.sinceMillis));
    };
    let pauseMillis = FIRST_PAUSE_MILLIS;
    let mayBeCommitted = false;
    for (;;) {
      try {
        const timeoutMillis = patienceEnds() - performance.now();
        return await writeBatch(this.database, write, id, rows, timeoutMillis);
      } catch (error) {
        if (isPermanent(error) && !mayBeCommitted) throw error;
        mayBeCommitted = true;
        if (!isTransient(error) || performance.now() + pauseMillis > patienceEnds()) {
          this.logger.warn(`Batch ${id} is refused unless it was settled: ${String(error)}`);
          return this.refuse({ id, rows, events: batch.length });
        }
        this.metrics.countRetry();
        await new Promise((resolve) => setTimeout(resolve, pauseMillis));
        pauseMillis = Math.min(pauseMillis * 2, MAX_PAUSE_MILLIS);
      }
    }
  }

  /** Until when an event is retried that has waited since then. */
  private deadlineOf(sinceMillis: number): number {
    const usual = sinceMillis + this.config.retryTimeoutSeconds * 1_000;
    if (this.stoppingSinceMillis === undefined) return usual;
    return Math.min(usual, Math.max(sinceMillis, this.stoppingSinceMillis) + SHUTDOWN_PATIENCE_MILLIS);
  }

  private refuse(batch: UndecidedBatch): Promise<Decision> {
    return this.undecided.decide(batch).catch((cause: unknown) => {
      throw new UnknownOutcomeError(batch, { cause });
    });
  }
}
