import { Database, isDatabaseUnavailable, isUniqueViolation, newId } from '@inference/database';
import { Injectable, Logger } from '@nestjs/common';
import { BackgroundWriter } from '../background-writer';
import { type UpstreamCost } from './cost-prices';
import { addUnchargedCosts, type UnchargedCostRow } from './uncharged-costs.repository';
import { UpstreamMetrics } from './upstream-metrics';

/** Costs that wait while the database is away. Chosen: at some 300 bytes each they take 3 MB. */
const MOST_WAITING = 10_000;
/** Costs of one statement. */
const MOST_AT_ONCE = 500;
/** Attempts of a row that the database refuses. Chosen: a second, for a deadlock; a row that never fits stops the others for as long. */
const MOST_REFUSALS = 4;

/** Stores what upstreams take for calls that nobody is charged for, in the background: no answer waits for it. */
@Injectable()
export class UnchargedCosts extends BackgroundWriter<UnchargedCostRow> {
  private readonly logger = new Logger(UnchargedCosts.name);

  constructor(
    private readonly database: Database,
    private readonly metrics: UpstreamMetrics,
  ) {
    super();
  }

  /** @param model that was called @param costs of the attempts of one call, which is recorded once */
  record(requestId: string, accountId: string, model: string, costs: readonly UpstreamCost[]): void {
    if (costs.length === 0) return;
    this.metrics.countCosts(costs);
    if (this.waiting.length >= MOST_WAITING) {
      this.logger.error(`The cost of the uncharged call ${requestId} was not recorded: too many wait.`);
      return;
    }
    const rows = costs.map(({ upstream, list, costPicos }, index) => ({
      request_id: requestId,
      attempt: index + 1,
      account_id: accountId,
      model,
      upstream,
      list,
      cost_picos: costPicos.toString(),
    }));
    this.add(...rows);
  }

  protected writeBatch(): Promise<void> {
    return this.store(this.waiting.splice(0, MOST_AT_ONCE));
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
}
