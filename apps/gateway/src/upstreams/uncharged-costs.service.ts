import { Database, isDatabaseUnavailable, isUniqueViolation, newId } from '@inference/database';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type UpstreamCost } from './cost-prices';
import { addUnchargedCosts, type UnchargedCostRow } from './uncharged-costs.repository';
import { UpstreamMetrics } from './upstream-metrics';

/** For how long costs are collected, and the pause before a batch is tried again. Chosen: four statements a second at most. */
const PAUSE_MILLIS = 250;
/** Costs that wait while the database is away. Chosen: at some 300 bytes each they take 3 MB. */
const MOST_WAITING = 10_000;
/** Costs of one statement. */
const MOST_AT_ONCE = 500;
/** Attempts of a row that the database refuses. Chosen: a second, for a deadlock; a row that never fits stops the others for as long. */
const MOST_REFUSALS = 4;
/** How long the end of the process waits for the last costs. */
const SHUTDOWN_PATIENCE_MILLIS = 3_000;

/** Stores what upstreams take for calls that nobody is charged for, in the background: no answer waits for it. */
@Injectable()
export class UnchargedCosts implements OnApplicationShutdown {
  private readonly logger = new Logger(UnchargedCosts.name);
  private waiting: UnchargedCostRow[] = [];
  private running: Promise<void> | undefined;
  private isStopping = false;
  private endPause: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly metrics: UpstreamMetrics,
  ) {}

  /** @param model that was called @param costs of the attempts of one call, which is recorded once */
  record(requestId: string, accountId: string, model: string, costs: readonly UpstreamCost[]): void {
    if (costs.length === 0) return;
    this.metrics.countCosts(costs);
    if (this.waiting.length >= MOST_WAITING) {
      this.logger.error(`The cost of the uncharged call ${requestId} was not recorded: too many wait.`);
      return;
    }
    for (const [index, { upstream, list, costPicos }] of costs.entries())
      this.waiting.push({
        request_id: requestId,
        attempt: index + 1,
        account_id: accountId,
        model,
        upstream,
        list,
        cost_picos: costPicos.toString(),
      });
    this.running ??= this.write();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.endPause();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, SHUTDOWN_PATIENCE_MILLIS)));
    await Promise.race([this.running, patience]);
    clearTimeout(timer);
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.pause();
      await this.store(this.waiting.splice(0, MOST_AT_ONCE));
    }
    this.running = undefined;
  }

  /**
   * Writes the batch as soon as the database answers. It may have been written when an attempt fails, so it keeps its id and counts once. If
   * the database refuses it, its rows are written one by one, so that one that never fits does not take the others with it.
   */
  private async store(batch: readonly UnchargedCostRow[]): Promise<void> {
    const id = newId('ucb');
    for (let refusals = 0; ;) {
      try {
        return await addUnchargedCosts(this.database, id, batch);
      } catch (error) {
        const isAway = isDatabaseUnavailable(error);
        if (!isAway && batch.length > 1) {
          for (const row of batch) await this.store([row]);
          return;
        }
        // The row is there already.
        if (isUniqueViolation(error)) return;
        if (!isAway) refusals++;
        if (this.isStopping || refusals >= MOST_REFUSALS) {
          const requestIds = [...new Set(batch.map(({ request_id: requestId }) => requestId))].join(', ');
          this.logger.error(`The upstream costs of ${requestIds} were not recorded: ${String(error)}`);
          return;
        }
      }
      await this.pause();
    }
  }

  private pause(): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MILLIS);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
