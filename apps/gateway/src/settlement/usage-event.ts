import { type Charge, type UsageFault, type UsageOutcome } from '@inference/metering';
import { type UpstreamCost } from '../upstreams/cost-prices';
import { type Hold } from '../leases/lease';

/** Usage and cost of one served request. Written once and debited once. */
export interface UsageEvent {
  requestId: string;
  clientRequestId: string | undefined;
  startedAt: Date;
  accountId: string;
  apiKeyId: string | null;
  model: string;
  entrypoint: string;
  endpoint: string;
  upstream: string;
  outcome: UsageOutcome;
  inputTokens: number;
  outputTokens: number;
  /** Whether the tokens are the gateway's own count instead of the upstream's report. */
  estimated: boolean;
  /** What was wrong with the upstream's report; null: nothing. */
  usageFault: UsageFault | null;
  durationMs: number;
  /** Null unless the answer was a stream. */
  timeToFirstTokenMs: number | null;
  /** Of the first answer. */
  finishReason: string | null;
  priceListId: bigint;
  /** USD for one unit of the site's currency × 10^10. */
  usdPerUnit: bigint;
  charge: Charge;
  /** What the call cost the operator, as far as it is known. */
  costs: readonly UpstreamCost[];
}

/** The event as `metering.append` reads it, and `metering.settle` after it. Amounts are text because JSON.stringify does not support bigint. */
export function toSettlementRow(event: UsageEvent, hold: Hold, usdPerUnit: string) {
  return {
    request_id: event.requestId,
    // Absent without one.
    client_request_id: event.clientRequestId,
    lease_id: hold.lease?.id ?? null,
    limited: hold.lease?.limited ?? false,
    started_at: event.startedAt.toISOString(),
    account_id: event.accountId,
    api_key_id: event.apiKeyId,
    model: event.model,
    entrypoint: event.entrypoint,
    endpoint: event.endpoint,
    upstream: event.upstream,
    outcome: event.outcome,
    input_tokens: event.inputTokens,
    output_tokens: event.outputTokens,
    estimated: event.estimated,
    usage_fault: event.usageFault,
    duration_ms: event.durationMs,
    time_to_first_token_ms: event.timeToFirstTokenMs,
    finish_reason: event.finishReason,
    price_list_id: event.priceListId.toString(),
    usd_per_unit: usdPerUnit,
    cost_picos: event.charge.costPicos.toString(),
    cost_usd_picos: event.charge.costUsdPicos.toString(),
    upstream_costs: event.costs.map(({ upstream, list, served, costPicos }) => ({
      upstream,
      list,
      served,
      cost_picos: costPicos.toString(),
    })),
    lines: event.charge.lines.map((line) => ({
      meter: line.meter,
      unit: line.unit,
      quantity: line.quantity.toString(),
      tokens: line.tokens.toString(),
      rate_picos: line.ratePicos.toString(),
      conditions: line.conditions,
      price: line.price,
      cost_picos: line.costPicos.toString(),
      cost_usd_picos: line.costUsdPicos.toString(),
    })),
  };
}
