import { type Caller } from '@inference/guards';
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
import { Injectable } from '@nestjs/common';
import { GatewayError } from '../../errors/openai-error';
import { type Hold } from '../../leases/lease';
import { LeaseManager } from '../../leases/lease-manager';
import {
  ModelNotAllowedError,
  ModelNotFoundError,
  ModelRetiredError,
  OutputPriceMissingError,
} from '../../models/models.service';
import { type UsageEvent } from '../../settlement/usage-event';
import { type CallNotes } from '../../unserved-calls/call-notes';
import { ServingDirectory } from '../../upstreams/directory.service';
import { type ServingCatalogue } from '../../upstreams/serving-catalogue';
import { type ProxyRequest } from '../request/proxy-request';
import { type Bounds, boundsOf, type ModelLimits } from '../request/token-bounds';

/** The site charges in CNY and no exchange rate to USD is stored. */
export class ExchangeRateMissingError extends GatewayError {
  constructor() {
    super('exchange_rate_missing', 'No exchange rate is stored for today.');
  }
}

/** A model that may serve a request: its prices that hold for calls which begin now, and the most tokens that it may use. */
interface Serving {
  /** The slug. */
  model: string;
  rates: readonly Price[];
  bounds: Bounds;
}

/** A request with the model that it calls, and those that answer if none of its upstreams does. */
interface BoundedRequest extends Serving {
  startedAt: Date;
  priceListId: bigint;
  usdPerUnit: bigint;
  fallbacks: readonly Serving[];
}

/** A request that may be served: its model is priced and allowed, and the money for its worst case is reserved. */
export interface Admission extends BoundedRequest {
  call: CallNotes;
  request: ProxyRequest;
  hold: Hold;
}

/** The admission of what one of the models of an admission has served. */
export const servedBy = (admission: Admission, model: string): Admission =>
  model === admission.model
    ? admission
    : { ...admission, ...admission.fallbacks.find((fallback) => fallback.model === model)! };

@Injectable()
export class AdmissionService {
  constructor(
    private readonly prices: PriceBook,
    private readonly leases: LeaseManager,
    private readonly directory: ServingDirectory,
  ) {}

  /** Reserves the worst case. Throws what `bound` throws, InsufficientBalanceError and KeySpendLimitReachedError. */
  async admit(request: ProxyRequest, call: CallNotes): Promise<Admission> {
    const bounded = await this.bound(request, call.caller, call.allowsFallbacks);
    const hold = await this.leases.hold(call.caller, dearest(bounded));
    return { ...bounded, call, request, hold };
  }

  /**
   * Throws ModelNotFoundError, ModelRetiredError, ModelNotAllowedError, OutputPriceMissingError, ExchangeRateMissingError, and
   * InvalidValueError for limits that cannot be admitted.
   */
  async bound(request: ProxyRequest, caller: Caller, allowsFallbacks: boolean): Promise<BoundedRequest> {
    const catalogue = await this.directory.current();
    const { at: startedAt, prices } = await this.prices.decide();
    const { priceListId, models, usdPerUnit } = prices;
    const model = catalogue.slugOf(request.model);
    const details = catalogue.model(model);
    if (details?.state === 'retired') throw new ModelRetiredError(request.model, details.successor);
    const rates = models.get(model);
    if (!rates || catalogue.candidatesOf(model).length === 0) throw new ModelNotFoundError(request.model);
    const allowed = caller.apiKey?.allowedModels;
    if (allowed && !allowed.includes(model)) throw new ModelNotAllowedError(request.model);
    if (request.endpoint !== 'embeddings' && !pricesOutput(rates)) {
      throw new OutputPriceMissingError(request.model);
    }
    if (usdPerUnit === null) throw new ExchangeRateMissingError();
    const bounds = boundsOf(request, limitsOf(catalogue, model));
    const names = allowsFallbacks ? (details?.fallbacks ?? []) : [];
    const fallbacks = names.flatMap((name): Serving[] => {
      const slug = catalogue.slugOf(name);
      const otherRates = models.get(slug);
      const mayServe =
        otherRates !== undefined &&
        (!allowed || allowed.includes(slug)) &&
        catalogue.model(slug)?.state !== 'retired' &&
        catalogue.candidatesOf(slug).length > 0 &&
        (request.endpoint === 'embeddings') === !pricesOutput(otherRates);
      if (!mayServe) return [];
      return [{ model: slug, rates: otherRates, bounds: boundsOf(request, limitsOf(catalogue, slug)) }];
    });
    return { startedAt, model, bounds, priceListId, rates, usdPerUnit, fallbacks };
  }
}

/** The most that a request can cost, whichever model answers. */
export const dearest = ({ rates, bounds, fallbacks }: BoundedRequest): bigint =>
  fallbacks.reduce(
    (most, fallback) => {
      const picos = worstCasePicos(fallback.rates, fallback.bounds);
      return picos > most ? picos : most;
    },
    worstCasePicos(rates, bounds),
  );

function limitsOf(catalogue: ServingCatalogue, model: string): ModelLimits {
  const details = catalogue.model(model);
  return {
    contextTokens: details?.contextTokens ?? undefined,
    maxOutputTokens: details?.maxOutputTokens ?? undefined,
  };
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
    model: admission.model,
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
