import { Metrics } from '@inference/http';
import {
  type Charge,
  charge,
  inputTokensOf,
  type MeteredUsage,
  outputTokensOf,
  type UsageFault,
  type UsageOutcome,
} from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import {
  BillingUnavailableError,
  NotCoveredError,
  SettlementBatcher,
} from '../settlement/settlement-batcher';
import { type UsageEvent } from '../settlement/usage-event';
import { costsOf, upstreamCost } from '../upstreams/cost-prices';
import { UnchargedCosts } from '../upstreams/uncharged-costs.service';
import { UpstreamMetrics } from '../upstreams/upstream-metrics';
import { type UpstreamAnswer } from '../upstreams/upstreams.service';
import { type AdmittedCall } from './admission/admission.service';
import { isSameUsage, type Metered, within } from './usage/metered-usage';

/** Counts the reports of upstreams that contradict themselves. */
@Injectable()
export class UsageFaults {
  private readonly reports: Counter<'upstream' | 'fault'>;

  constructor({ registry }: Metrics) {
    this.reports = new Counter({
      name: 'gateway_faulty_usage_total',
      help: 'Answers whose reported usage contradicts itself, by upstream and fault. The larger figure is charged.',
      labelNames: ['upstream', 'fault'],
      registers: [registry],
    });
  }

  count(upstream: string, fault: UsageFault): void {
    this.reports.inc({ upstream, fault });
  }
}

/** What the log says of an answer beside its usage. */
export type Told = Pick<UsageEvent, 'timeToFirstTokenMs' | 'finishReason'>;
export const UNTOLD: Told = { timeToFirstTokenMs: null, finishReason: null };

/** What the event of a call says of its answer beside its usage. */
type Served = Pick<UsageEvent, 'upstream' | 'outcome' | 'costs'> & Told;

/** Whether the answers of a call tell their price; a key says otherwise for clients that refuse unknown fields. */
export const tellsPrice = ({ call: { caller } }: Pick<AdmittedCall, 'call'>): boolean =>
  caller.apiKey?.reportsCost ?? true;

/** Charges calls for what they used. */
@Injectable()
export class CallBilling {
  private readonly logger = new Logger(CallBilling.name);
  private readonly uncosted: Counter<'upstream'>;
  private readonly uncovered: Counter<'upstream'>;

  constructor(
    private readonly settlements: SettlementBatcher,
    private readonly faults: UsageFaults,
    private readonly upstreamMetrics: UpstreamMetrics,
    private readonly unchargedCosts: UnchargedCosts,
    { registry }: Metrics,
  ) {
    this.uncosted = new Counter({
      name: 'gateway_calls_without_cost_price_total',
      help: 'Charged calls whose upstream has no cost price for what they used, by upstream: no report knows their margin.',
      labelNames: ['upstream'],
      registers: [registry],
    });
    this.uncovered = new Counter({
      name: 'gateway_uncovered_calls_total',
      help: 'Calls that used more than was set aside while the wallet did not cover the rest, by upstream: only what was set aside is charged.',
      labelNames: ['upstream'],
      registers: [registry],
    });
  }

  /** Notes what a call costs that is not charged. @param usage that its upstream has reported all the same */
  leaveUncharged(
    { call, model }: AdmittedCall,
    { upstream, costing: { prices, failed } }: Pick<UpstreamAnswer<unknown>, 'upstream' | 'costing'>,
    usage: MeteredUsage | null,
  ): void {
    const own = prices && usage && upstreamCost(upstream, prices, usage, false);
    const costs = own ? [...failed, own] : failed;
    this.unchargedCosts.record(call.requestId, call.caller.accountId, model, costs);
  }

  /** Charges a call; returns what it was charged. Throws the errors of settlement. */
  async settle(
    admission: AdmittedCall,
    {
      upstream,
      costing,
      span,
      use,
    }: Pick<UpstreamAnswer<unknown>, 'upstream' | 'costing' | 'span'> &
      Partial<Pick<UpstreamAnswer<unknown>, 'use'>>,
    outcome: UsageOutcome,
    metered: Metered,
    told: Told,
  ): Promise<Charge> {
    const { usage, fault } = metered;
    if (fault) this.faults.count(upstream, fault);
    admission.ticket?.used(usage.counts);
    const costs = costsOf(upstream, costing, usage);
    if (!costs.some(({ served }) => served)) this.uncosted.inc({ upstream });
    const served = { upstream, outcome, costs, ...told };
    const event = usageEventOf(admission, served, metered);
    use?.(event.inputTokens, event.outputTokens);
    span?.set({
      'gen_ai.usage.input_tokens': event.inputTokens,
      'gen_ai.usage.output_tokens': event.outputTokens,
    });
    if (outcome !== 'completed') span?.fail(outcome);
    try {
      const charged = await this.settleAsCovered(admission, event, served, metered);
      this.upstreamMetrics.countMoney(upstream, charged.costPicos, costs);
      return charged;
    } catch (error) {
      // A call that may have been charged has its costs in its event.
      if (error instanceof NotCoveredError || error instanceof BillingUnavailableError)
        this.unchargedCosts.record(event.requestId, event.accountId, event.model, costs);
      throw error;
    }
  }

  /** Settles the event, or one of what was reserved if the wallet does not cover more. Returns what was charged. */
  private async settleAsCovered(
    admission: AdmittedCall,
    event: UsageEvent,
    served: Served,
    { usage, fault }: Metered,
  ): Promise<Charge> {
    try {
      await this.settlements.settle(event, admission.hold);
      return event.charge;
    } catch (error) {
      const admitted = within(usage, admission.bounds);
      if (!(error instanceof NotCoveredError) || isSameUsage(admitted, usage)) throw error;
      // The upstream served more than the request allowed: the reserved amount is still charged.
      const covered = usageEventOf(admission, served, { fault, usage: admitted, estimated: true });
      await this.settlements.settle(covered, admission.hold);
      const { upstream } = served;
      this.uncovered.inc({ upstream });
      const lost = picosToDecimal(event.charge.costPicos - covered.charge.costPicos);
      this.logger.warn(
        `${event.requestId} used more than was set aside at ${upstream}: ${lost} are not covered.`,
      );
      return covered.charge;
    }
  }
}

/** The usage event of an admitted request, charged at the prices that were in force when it began. */
function usageEventOf(
  admission: AdmittedCall,
  served: Served,
  { usage, estimated, fault }: Metered,
): UsageEvent {
  const { counts } = usage;
  const { call } = admission;
  return {
    requestId: call.requestId,
    clientRequestId: call.clientRequestId,
    startedAt: admission.startedAt,
    accountId: call.caller.accountId,
    apiKeyId: call.caller.apiKey?.id ?? null,
    model: admission.model,
    entrypoint: call.entrypoint,
    endpoint: call.endpoint,
    upstream: served.upstream,
    outcome: served.outcome,
    inputTokens: inputTokensOf(counts),
    outputTokens: outputTokensOf(counts),
    estimated,
    usageFault: fault,
    durationMs: call.durationMs,
    timeToFirstTokenMs: served.timeToFirstTokenMs,
    finishReason: served.finishReason,
    priceListId: admission.priceListId,
    usdPerUnit: admission.usdPerUnit,
    charge: charge(admission.rates, usage, admission.usdPerUnit),
    costs: served.costs,
  };
}
