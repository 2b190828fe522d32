import { allowsModel, type Caller } from '@inference/guards';
import {
  charge,
  inputTokensOf,
  type MeteredUsage,
  outputTokensOf,
  type Price,
  PriceBook,
  pricesOutput,
  type UsageFault,
  worstCasePicos,
} from '@inference/metering';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayError } from '../../errors/openai-error';
import { type Hold } from '../../leases/lease';
import { LeaseManager } from '../../leases/lease-manager';
import { type LimitTicket, LimitsService } from '../../limits/limits.service';
import {
  ModelNotAllowedError,
  ModelNotFoundError,
  OutputPriceMissingError,
} from '../../models/models.service';
import { type UsageEvent } from '../../settlement/usage-event';
import { type CallNotes } from '../../unserved-calls/call-notes';
import { UpstreamsService } from '../../upstreams/upstreams.service';
import { type ProxyRequest } from '../request/proxy-request';
import { promptTokens } from '../usage/prompt-tokens';
import { type Bounds, boundsOf, type ModelLimits } from '../request/token-bounds';
import { ADMISSION_CONFIG, type AdmissionConfig } from './admission.config';

/** The site charges in CNY and no exchange rate to USD is stored. */
export class ExchangeRateMissingError extends GatewayError {
  constructor() {
    super('exchange_rate_missing', 'No exchange rate is stored for today.');
  }
}

/** When a request began, the prices that hold for calls which began then, and the most tokens that it may use. */
interface BoundedRequest {
  startedAt: Date;
  bounds: Bounds;
  priceListId: bigint;
  rates: readonly Price[];
  usdPerUnit: bigint;
}

/** A request that may be served: its model is priced and allowed, and the money for its worst case is reserved. */
export interface Admission extends BoundedRequest {
  call: CallNotes;
  request: ProxyRequest;
  hold: Hold;
  /** Null for a caller without limits. */
  ticket: LimitTicket | null;
}

@Injectable()
export class AdmissionService {
  constructor(
    private readonly prices: PriceBook,
    private readonly leases: LeaseManager,
    private readonly limits: LimitsService,
    private readonly upstreams: UpstreamsService,
    @Inject(ADMISSION_CONFIG) private readonly config: AdmissionConfig,
  ) {}

  /**
   * Reserves the worst case. Throws what `bound` throws, RateLimitExceededError, RequestTooLargeError, InsufficientBalanceError and
   * KeySpendLimitReachedError.
   */
  async admit(request: ProxyRequest, call: CallNotes): Promise<Admission> {
    const bounded = await this.bound(request, call.caller);
    const { inputTokens, outputTokens, imposedMaxTokens } = bounded.bounds;
    const ticket = await this.limits.admit({
      call,
      model: request.model,
      promptTokens: () => Math.min(promptTokens(request), inputTokens),
      outputTokens,
      namesOutput: imposedMaxTokens === undefined,
      answers: request.choices,
    });
    try {
      const hold = await this.leases.hold(call.caller, worstCasePicos(bounded.rates, bounded.bounds));
      return { ...bounded, call, request, hold, ticket };
    } catch (error) {
      ticket?.cancel();
      throw error;
    }
  }

  /**
   * Throws ModelNotFoundError, ModelNotAllowedError, OutputPriceMissingError, ExchangeRateMissingError, and InvalidValueError
   * for limits that cannot be admitted.
   */
  async bound(request: ProxyRequest, caller: Caller): Promise<BoundedRequest> {
    const { at: startedAt, prices } = await this.prices.decide();
    const { priceListId, models, usdPerUnit } = prices;
    const rates = models.get(request.model);
    if (!rates || !this.upstreams.serves(request.model)) throw new ModelNotFoundError(request.model);
    if (!allowsModel(caller, request.model)) throw new ModelNotAllowedError(request.model);
    if (request.endpoint !== 'embeddings' && !pricesOutput(rates)) {
      throw new OutputPriceMissingError(request.model);
    }
    if (usdPerUnit === null) throw new ExchangeRateMissingError();
    const bounds = boundsOf(request, this.limitsOf(request.model));
    return { startedAt, bounds, priceListId, rates, usdPerUnit };
  }

  private limitsOf(model: string): ModelLimits {
    const limits = this.config.modelLimits;
    return (Object.hasOwn(limits, model) ? limits[model] : limits['*']) ?? {};
  }
}

/** The usage event of an admitted request, charged at the prices that were in force when it began. */
export function usageEventOf(
  admission: Admission,
  served: Pick<UsageEvent, 'upstream' | 'outcome' | 'estimated' | 'timeToFirstTokenMs' | 'finishReason'> & {
    usage: MeteredUsage;
    fault: UsageFault | null;
  },
): UsageEvent {
  const { counts } = served.usage;
  const { call } = admission;
  return {
    requestId: call.requestId,
    startedAt: admission.startedAt,
    accountId: call.caller.accountId,
    apiKeyId: call.caller.apiKey?.id ?? null,
    model: admission.request.model,
    entrypoint: call.entrypoint,
    endpoint: call.endpoint,
    upstream: served.upstream,
    outcome: served.outcome,
    inputTokens: inputTokensOf(counts),
    outputTokens: outputTokensOf(counts),
    estimated: served.estimated,
    usageFault: served.fault,
    durationMs: call.durationMs,
    timeToFirstTokenMs: served.timeToFirstTokenMs,
    finishReason: served.finishReason,
    priceListId: admission.priceListId,
    usdPerUnit: admission.usdPerUnit,
    charge: charge(admission.rates, served.usage, admission.usdPerUnit),
  };
}
