import { Logger } from '@nestjs/common';
import { type Database } from '@inference/database';
import { cancelBlockedSettlements, type Decision, refuseBatch } from './settlement.repository';

/** A batch of usage events that may or may not have been settled. */
export interface UndecidedBatch {
  id: string;
  /** JSON of settlement rows (see toSettlementRow). */
  rows: string;
  events: number;
}

/** Ends a batch: null if the process stops before it is decided. */
type Conclude = (decision: Decision | null) => void;

/** Longest attempt to decide. Chosen: a client waits this much longer than SETTLEMENT_PATIENCE_SECONDS; half would be too short for a fail-over of the network. */
const ATTEMPT_MILLIS = 5_000;
/** A settlement that waits for a lock is cancelled when the refusal has waited this long for it. */
const CANCEL_AFTER_MILLIS = 500;
const FIRST_PAUSE_MILLIS = 50;
const MAX_PAUSE_MILLIS = 1_000;
/** How long batches are still tried after the shutdown has begun. Chosen: half of the ten seconds that Docker gives a container. */
const SHUTDOWN_MILLIS = 5_000;

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/**
 * Decides batches whose settlement gave no answer: refuses them under their own id, which has no effect if they were settled. What cannot
 * be decided at once is tried until it is, one batch at a time.
 */
export class UndecidedBatches {
  private readonly logger = new Logger(UndecidedBatches.name);
  private waiting: { batch: UndecidedBatch; conclude: Conclude }[] = [];
  private running: Promise<void> | undefined;
  /** On the clock of performance.now(). */
  private stopsAtMillis = Infinity;

  constructor(private readonly database: Database) {}

  /** Events whose charge is unknown. */
  get events(): number {
    return this.waiting.reduce((sum, { batch }) => sum + batch.events, 0);
  }

  /** Decides the batch. Rejects if the database gives no answer in time. */
  async decide({ id, rows }: UndecidedBatch): Promise<Decision> {
    const endMillis = Math.min(performance.now() + ATTEMPT_MILLIS, this.stopsAtMillis);
    let pauseMillis = FIRST_PAUSE_MILLIS;
    for (;;) {
      try {
        return await this.refuse(id, rows, endMillis - performance.now());
      } catch (error) {
        if (performance.now() + pauseMillis > endMillis) throw error;
        await pause(pauseMillis);
        pauseMillis = Math.min(pauseMillis * 2, MAX_PAUSE_MILLIS);
      }
    }
  }

  /** Goes on trying to decide the batch until it is decided or the process stops. */
  add(batch: UndecidedBatch, conclude: Conclude): void {
    this.waiting.push({ batch, conclude });
    this.running ??= this.run();
  }

  /** After a short time no batch is tried any more. */
  beginShutdown(): void {
    this.stopsAtMillis = performance.now() + SHUTDOWN_MILLIS;
  }

  /** Resolves when nothing is tried any more. */
  async ended(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    for (let first = this.waiting[0]; first; first = this.waiting[0]) {
      const { id } = first.batch;
      try {
        const decision = await this.decide(first.batch);
        this.waiting.shift();
        this.logger.log(`Batch ${id} is decided: ${decision.refused ? 'refused' : 'settled'}.`);
        first.conclude(decision);
      } catch (error) {
        this.logger.warn(`Whether batch ${id} was settled is still unknown: ${String(error)}`);
        if (performance.now() >= this.stopsAtMillis) this.giveUp();
        else {
          this.waiting.push(this.waiting.shift()!);
          await pause(MAX_PAUSE_MILLIS);
        }
      }
    }
    this.running = undefined;
  }

  private giveUp(): void {
    for (const { batch, conclude } of this.waiting.splice(0)) {
      this.logger.error(`Whether batch ${batch.id} was settled is unknown at the end of the process.`);
      conclude(null);
    }
  }

  private async refuse(id: string, rows: string, timeoutMillis: number): Promise<Decision> {
    const cancelling = setTimeout(() => {
      cancelBlockedSettlements(this.database, timeoutMillis).catch((error: unknown) =>
        this.logger.warn(`A settlement that waits for a lock was not cancelled: ${String(error)}`),
      );
    }, CANCEL_AFTER_MILLIS);
    return refuseBatch(this.database, id, rows, timeoutMillis).finally(() => clearTimeout(cancelling));
  }
}
