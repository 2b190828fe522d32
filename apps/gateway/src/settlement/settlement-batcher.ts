import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { Database, isDatabaseUnavailable, newId } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import { type Hold } from '../leases/lease';
import { SETTLEMENT_CONFIG, type SettlementConfig } from './settlement.config';
import { BillingUnavailableError, NotCoveredError } from './settlement.errors';
import { SettlementMetrics, type Unsettled } from './settlement-metrics';
import { settleBatch } from './settlement.repository';
import { toSettlementRow, type UsageEvent } from './usage-event';

interface Pending {
  event: UsageEvent;
  hold: Hold;
  /** On the clock of performance.now(). */
  sinceMillis: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Most events of one batch. Twice doubles the time for which a transaction locks its wallets; half doubles the number of transactions under load. */
const MAX_BATCH_EVENTS = 500;
/** Pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MILLIS = 50;
const MAX_PAUSE_MILLIS = 1_000;
/**
 * How long a settlement is retried once the process stops. Chosen: at twice the whole stop takes longer than the launcher waits; at half a
 * database that is started again at that moment is too late.
 */
const SHUTDOWN_PATIENCE_MILLIS = 5_000;
/** SQLSTATEs after which the same batch may succeed: deadlock, serialization failure, statement or lock timeout, disk or memory full. */
const TRANSIENT_SQLSTATE = new Set(['40P01', '40001', '57014', '55P03', '53100', '53200']);

function isTransient(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return (
    isDatabaseUnavailable(error) ||
    TRANSIENT_SQLSTATE.has(code) ||
    /query.*timeout|timeout.*query/i.test(String(error))
  );
}

/** An earlier attempt may have been committed: writing its events again under other batch ids could debit them twice. */
class UnknownOutcomeError extends Error {
  constructor(options: ErrorOptions) {
    super('Whether the batch was settled is unknown.', options);
  }
}

/**
 * Writes usage events in batches (group commit): events that arrive while a batch is being written form the next one.
 * A batch keeps its id when it is retried, so that a batch whose confirmation was lost is not debited twice.
 */
@Injectable()
export class SettlementBatcher implements OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(SettlementBatcher.name);
  private queue: Pending[] = [];
  /** The events that are being written. */
  private current: Pending[] = [];
  private running: Promise<void> | undefined;
  /** On the clock of performance.now(). */
  private stoppingSinceMillis: number | undefined;

  constructor(
    private readonly database: Database,
    @Inject(SETTLEMENT_CONFIG) private readonly config: SettlementConfig,
    private readonly metrics: SettlementMetrics,
  ) {
    metrics.watch(() => this.unsettled);
  }

  /**
   * Resolves when the event is durable and debited. Rejects with NotCoveredError and leaves the hold untouched if neither
   * the lease nor the wallet's free money covers the cost; rejects with BillingUnavailableError if the event could not be
   * written.
   */
  settle(event: UsageEvent, hold: Hold): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ event, hold, sinceMillis: performance.now(), resolve, reject });
      this.running ??= this.drain().finally(() => (this.running = undefined));
    });
  }

  onModuleDestroy(): void {
    this.stoppingSinceMillis = performance.now();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private get unsettled(): Unsettled {
    const oldest = this.current[0] ?? this.queue[0];
    return {
      events: this.current.length + this.queue.length,
      oldestSeconds: oldest ? (performance.now() - oldest.sinceMillis) / 1_000 : 0,
    };
  }

  private async drain(): Promise<void> {
    // Requests that end in the same turn of the event loop share the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      this.current = this.queue.splice(0, MAX_BATCH_EVENTS);
      await this.commit(this.current);
      this.current = [];
    }
  }

  private async commit(batch: Pending[]): Promise<void> {
    const startedAt = performance.now();
    const count = (outcome: 'settled' | 'failed') =>
      this.metrics.countBatch(outcome, (performance.now() - startedAt) / 1_000);
    try {
      const refused = await this.write(newId('stl'), batch);
      count('settled');
      this.metrics.countEvents('not_covered', refused.size);
      this.metrics.countEvents('settled', batch.length - refused.size);
      for (const pending of batch) {
        if (refused.has(pending.event.requestId)) this.refuse(pending);
        else this.confirm(pending);
      }
    } catch (error) {
      if (batch.length > 1 && !isTransient(error) && !(error instanceof UnknownOutcomeError)) {
        // Write the events one by one, so that one invalid event does not fail the others.
        for (const [index, pending] of batch.entries()) {
          this.current = batch.slice(index);
          await this.commit([pending]);
        }
        return;
      }
      count('failed');
      this.metrics.countEvents('failed', batch.length);
      this.logger.error(error);
      for (const { hold, reject } of batch) {
        hold.abandon();
        reject(new BillingUnavailableError());
      }
    }
  }

  private confirm({ event, hold, resolve }: Pending): void {
    hold.settle(event.charge.costPicos);
    resolve();
  }

  private refuse({ event, reject }: Pending): void {
    this.logger.warn(`Request ${event.requestId} of ${event.accountId} was not covered.`);
    reject(new NotCoveredError());
  }

  /** Writes the batch and retries it under the same id while the database is unavailable. Returns the request ids that were not covered. */
  private async write(id: string, batch: Pending[]): Promise<Set<string>> {
    const rows = JSON.stringify(
      batch.map(({ event, hold }) =>
        toSettlementRow(event, hold, scaledToDecimal(event.usdPerUnit, RATE_DIGITS)),
      ),
    );
    const startedAt = performance.now();
    let pauseMillis = FIRST_PAUSE_MILLIS;
    let mayBeCommitted = false;
    for (;;) {
      try {
        return await settleBatch(
          this.database,
          id,
          rows,
          Math.max(1, this.deadlineOf(startedAt) - performance.now()),
        );
      } catch (error) {
        if (!isTransient(error)) throw mayBeCommitted ? new UnknownOutcomeError({ cause: error }) : error;
        mayBeCommitted = true;
        if (performance.now() + pauseMillis > this.deadlineOf(startedAt)) throw error;
        this.metrics.countRetry();
        await new Promise((resolve) => setTimeout(resolve, pauseMillis));
        pauseMillis = Math.min(pauseMillis * 2, MAX_PAUSE_MILLIS);
      }
    }
  }

  /** Until when a batch is retried that was begun then. */
  private deadlineOf(startedAt: number): number {
    const usual = startedAt + this.config.retryTimeoutSeconds * 1_000;
    if (this.stoppingSinceMillis === undefined) return usual;
    return Math.min(usual, Math.max(startedAt, this.stoppingSinceMillis) + SHUTDOWN_PATIENCE_MILLIS);
  }
}
