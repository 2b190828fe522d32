import { allowsModel, type Caller } from '@inference/guards';
import {
  charge,
  hasPriceOf,
  inputTokensOf,
  type MeteredUsage,
  outputTokensOf,
  type Price,
  PRICE_UNITS,
  PriceBook,
  type PriceUnit,
  pricesOutput,
  type UsageBounds,
  type UsageFault,
  worstCasePicos,
} from '@inference/metering';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayError } from '../../errors/openai-error';
import { type Hold } from '../../leases/lease';
import { LeaseManager } from '../../leases/lease-manager';
import { type LimitedRequest, LimitsService, type LimitTicket } from '../../limits/limits.service';
import {
  ModelNotAllowedError,
  ModelNotFoundError,
  OutputPriceMissingError,
  UnitPriceMissingError,
} from '../../models/models.service';
import { type UsageEvent } from '../../settlement/usage-event';
import { type CallNotes } from '../../unserved-calls/call-notes';
import { UpstreamsService } from '../../upstreams/upstreams.service';
import { type ProxyRequest } from '../request/proxy-request';
import { promptTokens } from '../usage/prompt-tokens';
import { type Bounds, boundsOf, type ModelLimits } from '../request/token-bounds';
import { ADMISSION_CONFIG, type AdmissionConfig } from './admission.config';

/** The bound of a prompt counts its bytes; English text has four to a token. */
const BYTES_PER_TOKEN = 4;
/** What a request for embeddings counts. */
const UNITS_OF_TEXT = PRICE_UNITS.filter((unit) => unit.endsWith('_tokens') || unit === 'per_request');

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

/** A call that may be served: its model is priced and allowed, and the money for its worst case is reserved. */
export interface AdmittedCall extends Omit<BoundedRequest, 'bounds'> {
  call: CallNotes;
  request: { model: string };
  bounds: UsageBounds;
  hold: Hold;
  /** Null for a caller without limits. */
  ticket: LimitTicket | null;
}

export interface Admission extends AdmittedCall {
  request: ProxyRequest;
  bounds: Bounds;
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
    const { hold, ticket } = await this.reserve(bounded, {
      call,
      model: request.model,
      promptTokens: () => Math.min(promptTokens(request), inputTokens),
      outputTokens,
      namesOutput: imposedMaxTokens === undefined,
      answers: request.choices,
    });
    return { ...bounded, call, request, hold, ticket };
  }

  /** As `admit`, for a model with one task. Throws what `pricesFor` throws, UnitPriceMissingError, and the errors of limits and money. */
  async admitTask(
    { counts, pricedBy }: { counts: string; pricedBy: readonly PriceUnit[] },
    request: { model: string; bounds: UsageBounds },
    call: CallNotes,
  ): Promise<AdmittedCall> {
    const priced = await this.pricesFor(request.model, call.caller);
    if (!hasPriceOf(priced.rates, pricedBy)) throw new UnitPriceMissingError(request.model, counts);
    const { bounds } = request;
    const { hold, ticket } = await this.reserve(
      { rates: priced.rates, bounds },
      {
        call,
        model: request.model,
        promptTokens: () => Math.ceil(bounds.inputTokens / BYTES_PER_TOKEN),
        outputTokens: bounds.outputTokens,
        namesOutput: false,
        answers: 1,
      },
    );
    return { ...priced, bounds, call, request, hold, ticket };
  }

  /** Counts a call against its limits, and sets the money for its worst case aside. */
  private async reserve(
    { rates, bounds }: { rates: readonly Price[]; bounds: UsageBounds },
    limited: LimitedRequest & { call: CallNotes },
  ): Promise<Pick<AdmittedCall, 'hold' | 'ticket'>> {
    const ticket = await this.limits.admit(limited);
    try {
      return { ticket, hold: await this.leases.hold(limited.call.caller, worstCasePicos(rates, bounds)) };
    } catch (error) {
      ticket?.cancel();
      throw error;
    }
  }

  /** Throws what `pricesFor` throws, OutputPriceMissingError, and InvalidValueError for limits that cannot be admitted. */
  async bound(request: ProxyRequest, caller: Caller): Promise<BoundedRequest> {
    const priced = await this.pricesFor(request.model, caller);
    if (request.endpoint === 'embeddings' && !hasPriceOf(priced.rates, UNITS_OF_TEXT))
      throw new UnitPriceMissingError(request.model, 'tokens or requests');
    if (request.endpoint !== 'embeddings' && !pricesOutput(priced.rates))
      throw new OutputPriceMissingError(request.model);
    return { ...priced, bounds: boundsOf(request, this.limitsOf(request.model)) };
  }

  /** Throws ModelNotFoundError, ModelNotAllowedError and ExchangeRateMissingError. */
  private async pricesFor(model: string, caller: Caller): Promise<Omit<BoundedRequest, 'bounds'>> {
    const { at: startedAt, prices } = await this.prices.decide();
    const { priceListId, models, usdPerUnit } = prices;
    const rates = models.get(model);
    if (!rates || !this.upstreams.serves(model)) throw new ModelNotFoundError(model);
    if (!allowsModel(caller, model)) throw new ModelNotAllowedError(model);
    if (usdPerUnit === null) throw new ExchangeRateMissingError();
    return { startedAt, priceListId, rates, usdPerUnit };
  }

  private limitsOf(model: string): ModelLimits {
    const limits = this.config.modelLimits;
    return (Object.hasOwn(limits, model) ? limits[model] : limits['*']) ?? {};
  }
}

/** The usage event of an admitted request, charged at the prices that were in force when it began. */
export function usageEventOf(
  admission: AdmittedCall,
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
