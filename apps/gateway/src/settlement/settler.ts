import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable, newId, SQL_POOL, type SqlPool } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import { type QueryConfig } from 'pg';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { billingUnavailable, NotCoveredError } from '../errors/openai-error';
import { type Hold } from '../leases/lease';
import { toSettlementRow, type UsageEvent } from './usage-event';

interface Pending {
  event: UsageEvent;
  hold: Hold;
  resolve(): void;
  reject(error: unknown): void;
}

const MAX_BATCH = 500;
const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 1_000;
/** Deadlock, serialization failure, cancelled by a timeout, disk or memory full: the same batch may succeed next time. */
const TRANSIENT_SQLSTATE = new Set(['40P01', '40001', '57014', '55P03', '53100', '53200']);

function isTransient(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return (
    isDatabaseUnavailable(error) ||
    TRANSIENT_SQLSTATE.has(code) ||
    /query.*timeout|timeout.*query/i.test(String(error))
  );
}

/** An earlier attempt may have been written after all: under other ids its events could be debited twice. */
class UnknownOutcomeError extends Error {
  constructor(options: ErrorOptions) {
    super('It is not known whether a batch was settled.', options);
  }
}

/**
 * Group commit: events that arrive while a batch is being written form the next batch. A batch keeps its id
 * when it is sent again, so one whose confirmation was lost is not debited twice.
 */
@Injectable()
export class Settler implements OnApplicationShutdown {
  private readonly logger = new Logger(Settler.name);
  private queue: Pending[] = [];
  private running: Promise<void> | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Resolves when the event is durable and debited. Rejects with NotCoveredError, the hold still standing, when the
   * lease was lost or the upstream served more than asked and no free money covers it; with 503 when it could not
   * be written.
   */
  settle(event: UsageEvent, hold: Hold): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ event, hold, resolve, reject });
      this.running ??= this.drain().finally(() => (this.running = undefined));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    // Everything that ends in this turn of the event loop shares the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.commit(this.queue.splice(0, MAX_BATCH));
  }

  private async commit(batch: Pending[]): Promise<void> {
    try {
      const refused = await this.write(newId('stl'), batch);
      for (const pending of batch) {
        if (refused.has(pending.event.requestId)) this.refuse(pending);
        else this.confirm(pending);
      }
    } catch (error) {
      if (batch.length > 1 && !isTransient(error) && !(error instanceof UnknownOutcomeError)) {
        // One bad event must not take the others with it.
        for (const pending of batch) await this.commit([pending]);
        return;
      }
      this.logger.error(error);
      for (const { hold, reject } of batch) {
        hold.abandon();
        reject(billingUnavailable());
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

  /** Writes the batch, again and again under the same id while the database is away; returns what was refused. */
  private async write(id: string, batch: Pending[]): Promise<Set<string>> {
    const rows = JSON.stringify(
      batch.map(({ event, hold }) =>
        toSettlementRow(event, hold, scaledToDecimal(event.usdPerUnit, RATE_DIGITS)),
      ),
    );
    const deadline = performance.now() + this.config.SETTLEMENT_PATIENCE_SECONDS * 1000;
    let pauseMillis = FIRST_PAUSE_MILLIS;
    let mayBeDone = false;
    for (;;) {
      try {
        // The types of pg do not know query_timeout for a single statement.
        const statement: QueryConfig & { query_timeout: number } = {
          text: 'SELECT metering.settle($1, $2) AS request_id',
          values: [id, rows],
          query_timeout: Math.max(1, deadline - performance.now()),
        };
        const result = await this.pool.query<{ request_id: string }>(statement);
        return new Set(result.rows.map(({ request_id: requestId }) => requestId));
      } catch (error) {
        if (!isTransient(error)) throw mayBeDone ? new UnknownOutcomeError({ cause: error }) : error;
        mayBeDone = true;
        if (performance.now() + pauseMillis > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMillis));
        pauseMillis = Math.min(pauseMillis * 2, LONGEST_PAUSE_MILLIS);
      }
    }
  }
}
