import { Inject, Injectable, Logger } from '@nestjs/common';
import { decimalToPicos, parseExact } from '@inference/money';
import { tracedFetch } from '@inference/tracing';
import { z } from 'zod';
import { INFERENCE_CONFIG, type InferenceConfig } from '../../inference/inference.config';
import { type RouterCostState } from './proof.dto';

/** Chosen: a report of a month takes some milliseconds; a page shows the other sums after this time at the latest. */
const TIMEOUT_MILLIS = 10_000;

const report = z.object({
  items: z.tuple([z.object({ cost_usd: z.unknown().transform((cost) => decimalToPicos(String(cost))) })]),
});

/** What the router-cost service reports; null unless the state is `compared`. */
export type RouterCost =
  | { state: Extract<RouterCostState, 'compared'>; costUsdPicos: bigint }
  | { state: Exclude<RouterCostState, 'compared'>; costUsdPicos: null };

/** Asks the router-cost service for the cost of an account, with the console's own credential. */
@Injectable()
export class RouterCostClient {
  private readonly logger = new Logger(RouterCostClient.name);

  constructor(@Inject(INFERENCE_CONFIG) private readonly config: InferenceConfig) {}

  /** The cost of all usage from `from` to `to` (excluded). Does not throw: a service that is away is a state. */
  async readCost(accountId: string, from: Date, to: Date): Promise<RouterCost> {
    const { routerCost } = this.config;
    if (routerCost === undefined) return { state: 'not_configured', costUsdPicos: null };
    const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
    try {
      const response = await tracedFetch(
        `${routerCost.url.replace(/\/$/, '')}/v1/router/cost?${query.toString()}`,
        {
          headers: { Authorization: `Bearer ${routerCost.credential}`, 'X-On-Behalf-Of': accountId },
          // A redirect would send the credential to another address.
          redirect: 'manual',
          signal: AbortSignal.timeout(TIMEOUT_MILLIS),
        },
      );
      const text = await response.text();
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
      return { state: 'compared', costUsdPicos: report.parse(parseExact(text)).items[0].cost_usd };
    } catch (error) {
      this.logger.warn(`The router-cost service gave no usable answer: ${(error as Error).message}`);
      return { state: 'unavailable', costUsdPicos: null };
    }
  }
}
