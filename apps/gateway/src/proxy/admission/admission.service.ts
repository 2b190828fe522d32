import { allowsModel, type Caller } from '@inference/guards';
import {
  hasPriceOf,
  inputTokensOf,
  type MeterCounts,
  type Price,
  PRICE_UNITS,
  PriceBook,
  type PriceUnit,
  pricesOutput,
  type UsageBounds,
  worstCasePicos,
} from '@inference/metering';
import { type OutputLimitField } from '@inference/serving';
import { Injectable } from '@nestjs/common';
import { GatewayError } from '../../errors/openai-error';
import { type Hold } from '../../leases/lease';
import { UncoveredError } from '../../leases/lease-allocator';
import { LeaseManager } from '../../leases/lease-manager';
import { type CallingAccount } from '../../upstreams/choice/account-shares';
import { type CallSize } from '../../limits/answer-means';
import { type LimitedRequest, LimitsService, type LimitTicket } from '../../limits/limits.service';
import {
  ModelNotAllowedError,
  ModelNotFoundError,
  ModelRetiredError,
  OutputPriceMissingError,
  UnitPriceMissingError,
} from '../../models/models.service';
import { type CallNotes } from '../../unserved-calls/call-notes';
import { type ServingCatalogue, ServingDirectory } from '../../upstreams/directory.service';
import { type ProxyRequest } from '../request/proxy-request';
import {
  type Bounds,
  boundsOf,
  type ModelLimits,
  outputLimitFieldOf,
  withAnswersOf,
} from '../request/token-bounds';
import { promptTokens } from '../usage/prompt-tokens';
import { OutputLimit } from './output-limit';

/** What a request for embeddings counts. */
const UNITS_OF_TEXT = PRICE_UNITS.filter((unit) => unit.endsWith('_tokens') || unit === 'per_request');

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
  /** Where it takes the limit of an answer. */
  outputLimitField: OutputLimitField;
  /** Whether one of its upstreams may get the request as its client has sent it. */
  mayBeNative: boolean;
}

/** The prices of a model that hold for calls which begin at an instant of now. */
interface PricedModel extends Pick<Serving, 'model' | 'rates'> {
  startedAt: Date;
  priceListId: bigint;
  usdPerUnit: bigint;
}

/** A request with the model that it calls, and those that answer if none of its upstreams does. */
interface BoundedRequest extends PricedModel, Serving {
  fallbacks: readonly Serving[];
}

/** Attempts to reserve money for a request without a limit, while others take it away. Chosen: the third one has lost two races. */
const MOST_ATTEMPTS = 3;

/** The money for answers of this length. */
interface HeldAnswer {
  hold: Hold;
  tokens: number;
}

/** A call that may be served: its model is priced and allowed, and the money for its worst case is reserved. */
export interface AdmittedCall extends PricedModel {
  call: CallNotes;
  request: { model: string };
  bounds: UsageBounds;
  size: CallSize;
  hold: Hold;
  /** Null for a caller without limits. */
  ticket: LimitTicket | null;
}

export interface Admission extends AdmittedCall, BoundedRequest {
  request: ProxyRequest;
  bounds: Bounds;
}

/** As `Admission`, for a model with one task. */
export interface AdmittedTask extends AdmittedCall {
  fallbacks: readonly Pick<Serving, 'model' | 'rates'>[];
}

/** The admission of what one of the models of an admission has served. */
export const servedBy = <Admitted extends AdmittedTask>(admission: Admitted, model: string): Admitted =>
  model === admission.model
    ? admission
    : { ...admission, ...admission.fallbacks.find((fallback) => fallback.model === model)! };

@Injectable()
export class AdmissionService {
  constructor(
    private readonly prices: PriceBook,
    private readonly leases: LeaseManager,
    private readonly limits: LimitsService,
    private readonly directory: ServingDirectory,
  ) {}

  /**
   * Reserves the worst case. A request that names no limit gets one if the money demands it. Throws what `bound` throws,
   * RateLimitExceededError, RequestTooLargeError, InsufficientBalanceError and KeySpendLimitReachedError.
   */
  async admit(request: ProxyRequest, call: CallNotes): Promise<Admission> {
    const bounded = await this.bound(request, call.caller, call.allowsFallbacks);
    const { bounds, model } = bounded;
    const limit = new OutputLimit([bounded, ...bounded.fallbacks]);
    const { isLimited, outputTokens } = bounds;
    const size: CallSize = {
      promptTokens: () => Math.min(promptTokens(request, bounded.mayBeNative), bounds.inputTokens),
      outputTokens,
      answers: request.choices,
    };
    const { held, ticket } = await this.reserve({ call, model, namesOutput: isLimited, ...size }, () =>
      isLimited ? this.holdAll(limit, call.caller) : this.holdWithin(limit, call.caller),
    );
    const { hold, tokens } = held;
    return { call, request, size, hold, ticket, ...limitedTo(tokens, bounded) };
  }

  /** Whose share of an upstream a call takes. */
  accountOf({ caller: { accountId } }: CallNotes): CallingAccount {
    return { id: accountId, weight: () => this.limits.weightOf(accountId) };
  }

  /** What a request would be admitted with, if there is money for it. Throws what `bound` throws. */
  async estimate(
    request: ProxyRequest,
    caller: Caller,
    allowsFallbacks: boolean,
  ): Promise<{ bounds: Bounds; worstCasePicos: bigint }> {
    const bounded = await this.bound(request, caller, allowsFallbacks);
    const { bounds } = bounded;
    const limit = new OutputLimit([bounded, ...bounded.fallbacks]);
    if (bounds.isLimited) return { bounds, worstCasePicos: limit.costPicos(limit.most) };
    const free = await this.leases.free(caller, limit.unlimitedPicos);
    const tokens = Math.max(limit.within(free), limit.least);
    return { bounds: limitedTo(tokens, bounded).bounds, worstCasePicos: limit.costPicos(tokens) };
  }

  /** Reserves what the client's own limit can cost. A refusal says which limit would be covered. */
  private async holdAll(limit: OutputLimit, caller: Caller): Promise<HeldAnswer> {
    try {
      return { hold: await this.leases.hold(caller, limit.costPicos(limit.most)), tokens: limit.most };
    } catch (error) {
      if (!(error instanceof UncoveredError) || limit.most === 0) throw error;
      // The refusal stands without it.
      const free = await this.leases.free(caller, 0n, true).catch(() => 0n);
      throw error.affording(limit.affordable(free));
    }
  }

  private async holdWithin(limit: OutputLimit, caller: Caller): Promise<HeldAnswer> {
    let tokens = limit.within(await this.leases.free(caller, limit.unlimitedPicos));
    // The database may know more: money of leases that have expired, or that other processes return when they are asked.
    tokens = Math.max(tokens, limit.enough);
    for (let attempt = 1; ; attempt++) {
      try {
        return { hold: await this.leases.hold(caller, limit.costPicos(tokens)), tokens };
      } catch (error) {
        if (!(error instanceof UncoveredError) || tokens === limit.least || attempt === MOST_ATTEMPTS)
          throw error;
      }
      const covered = limit.within(await this.leases.free(caller, limit.unlimitedPicos, true));
      tokens = Math.max(Math.min(covered, tokens), limit.least);
    }
  }

  /** What is known of the model that is called by this name. */
  async limitsOf(name: string): Promise<ModelLimits> {
    const catalogue = await this.directory.current();
    const { models } = await this.prices.inForce();
    return limitsOf(catalogue, catalogue.slugOf(name, models));
  }

  /** As `admit`, for a model with one task. Throws what `pricesFor` throws, ModelNotFoundError, UnitPriceMissingError, and the errors of limits and money. */
  async admitTask(
    { counts, pricedBy }: { counts: string; pricedBy: readonly PriceUnit[] },
    request: { model: string; bounds: UsageBounds; asked(): MeterCounts },
    call: CallNotes,
  ): Promise<AdmittedTask> {
    const { priced, catalogue, models } = await this.pricesFor(request.model, call.caller);
    const fallbacks = (call.allowsFallbacks ? catalogue.fallbacksOf(priced.model, models) : []).flatMap(
      (model) => {
        const rates = models.get(model);
        const mayServe =
          rates !== undefined && allowsModel(call.caller, model) && hasPriceOf(rates, pricedBy);
        return mayServe ? [{ model, rates }] : [];
      },
    );
    if (fallbacks.length === 0 && catalogue.candidatesOf(priced.model).length === 0)
      throw new ModelNotFoundError(request.model);
    if (!hasPriceOf(priced.rates, pricedBy)) throw new UnitPriceMissingError(request.model, counts);
    const { bounds } = request;
    const worst = [priced, ...fallbacks]
      .map(({ rates }) => worstCasePicos(rates, bounds))
      .reduce((most, picos) => (picos > most ? picos : most));
    const size: CallSize = {
      promptTokens: () => Math.min(inputTokensOf(request.asked()), bounds.inputTokens),
      outputTokens: bounds.outputTokens,
      answers: 1,
    };
    const { held: hold, ticket } = await this.reserve(
      { ...size, call, model: priced.model, namesOutput: false },
      () => this.leases.hold(call.caller, worst),
    );
    return { ...priced, fallbacks, bounds, call, request, size, hold, ticket };
  }

  /** Counts a call against its limits, and sets the money for its worst case aside. */
  private async reserve<Held>(
    limited: LimitedRequest & { call: CallNotes },
    hold: () => Promise<Held>,
  ): Promise<{ held: Held; ticket: LimitTicket | null }> {
    const ticket = await this.limits.admit(limited);
    try {
      return { ticket, held: await hold() };
    } catch (error) {
      ticket?.cancel();
      if (ticket && error instanceof UncoveredError) error.tell(ticket.headers());
      throw error;
    }
  }

  /** Throws what `pricesFor` throws, ModelNotFoundError, OutputPriceMissingError, and InvalidValueError for limits that cannot be admitted. */
  async bound(request: ProxyRequest, caller: Caller, allowsFallbacks: boolean): Promise<BoundedRequest> {
    const { priced, catalogue, models } = await this.pricesFor(request.model, caller);
    const { model, rates } = priced;
    if (request.endpoint === 'embeddings' && !hasPriceOf(rates, UNITS_OF_TEXT))
      throw new UnitPriceMissingError(request.model, 'tokens or requests');
    if (request.endpoint !== 'embeddings' && !pricesOutput(rates))
      throw new OutputPriceMissingError(request.model);
    const servingOf = (slug: string, slugRates: readonly Price[]): Serving => {
      const limits = limitsOf(catalogue, slug);
      const { native } = request;
      const mayBeNative = native !== undefined && catalogue.speaks(slug, native.protocol);
      return {
        model: slug,
        rates: slugRates,
        bounds: boundsOf(request, limits, mayBeNative),
        mayBeNative,
        outputLimitField: outputLimitFieldOf(request.endpoint, limits),
      };
    };
    const fallbacks = (allowsFallbacks ? catalogue.fallbacksOf(model, models) : []).flatMap(
      (slug): Serving[] => {
        const otherRates = models.get(slug);
        const mayServe =
          otherRates !== undefined &&
          allowsModel(caller, slug) &&
          (request.endpoint === 'embeddings'
            ? hasPriceOf(otherRates, UNITS_OF_TEXT)
            : pricesOutput(otherRates));
        if (!mayServe) return [];
        return [servingOf(slug, otherRates)];
      },
    );
    if (fallbacks.length === 0 && catalogue.candidatesOf(model).length === 0)
      throw new ModelNotFoundError(request.model);
    const { startedAt, priceListId, usdPerUnit } = priced;
    return { startedAt, priceListId, usdPerUnit, fallbacks, ...servingOf(model, rates) };
  }

  /** Throws ModelNotFoundError, ModelRetiredError, ModelNotAllowedError and ExchangeRateMissingError. @param name a slug or an alias */
  private async pricesFor(name: string, caller: Caller) {
    const catalogue = await this.directory.current();
    const { at: startedAt, prices } = await this.prices.decide();
    const { priceListId, models, usdPerUnit } = prices;
    const model = catalogue.slugOf(name, models);
    const details = catalogue.model(model);
    if (details?.state === 'retired') throw new ModelRetiredError(name, details.successor);
    const rates = models.get(model);
    if (!rates) throw new ModelNotFoundError(name);
    if (!allowsModel(caller, model)) throw new ModelNotAllowedError(name);
    if (usdPerUnit === null) throw new ExchangeRateMissingError();
    const priced: PricedModel = { startedAt, model, priceListId, rates, usdPerUnit };
    return { priced, catalogue, models };
  }
}

/** The request with answers of this length at most, whichever model gives them. */
function limitedTo(tokens: number, bounded: BoundedRequest): BoundedRequest {
  const limited = <Of extends Serving>(serving: Of): Of => {
    const { bounds, outputLimitField: field } = serving;
    if (tokens >= bounds.answerTokens) return serving;
    return { ...serving, bounds: { ...withAnswersOf(bounds, tokens), imposed: { field, tokens } } };
  };
  return { ...limited(bounded), fallbacks: bounded.fallbacks.map(limited) };
}

function limitsOf(catalogue: ServingCatalogue, model: string): ModelLimits {
  const details = catalogue.model(model);
  return {
    contextTokens: details?.contextTokens ?? undefined,
    maxOutputTokens: details?.maxOutputTokens ?? undefined,
    outputLimitField: details?.outputLimitField,
  };
}
