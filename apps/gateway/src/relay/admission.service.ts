import { Inject, Injectable } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { newId } from '@inference/database';
import { charge, PriceBook, type TokenUsage, type UnitRate, worstCasePicos } from '@inference/metering';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { modelNotAllowed, modelNotFound, OpenAiError } from '../errors/openai-error';
import { LeaseDesk } from '../leases/lease-desk';
import { type Hold } from '../leases/lease';
import { type Outcome, type UsageEvent } from '../settlement/usage-event';
import { Upstreams } from '../upstreams/upstreams';
import { type Bounds, boundsOf, type RelayRequest } from './relay-request';

/** A request that may be served: priced, allowed, and its worst case set aside. */
export interface Admission {
  requestId: string;
  request: RelayRequest;
  caller: Caller;
  entrypoint: string;
  startedAt: Date;
  bounds: Bounds;
  hold: Hold;
  priceListId: bigint;
  rates: readonly UnitRate[];
  usdPerUnit: bigint;
}

@Injectable()
export class AdmissionService {
  constructor(
    private readonly prices: PriceBook,
    private readonly leases: LeaseDesk,
    private readonly upstreams: Upstreams,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** Throws 400, 402, 403, 404 as the request, wallet, key or model demand; 503 when no exchange rate is stored. */
  async admit(request: RelayRequest, caller: Caller, entrypoint: string): Promise<Admission> {
    const startedAt = new Date();
    const { priceListId, models, usdPerUnit } = await this.prices.inForce();
    const rates = models.get(request.model);
    if (!rates || !this.upstreams.serves(request.model)) throw modelNotFound(request.model);
    const allowed = caller.apiKey?.allowedModels;
    if (allowed && !allowed.includes(request.model)) throw modelNotAllowed(request.model);
    if (usdPerUnit === null) {
      throw new OpenAiError(503, 'No exchange rate is stored for today.', { code: 'exchange_rate_missing' });
    }
    const bounds = boundsOf(request, this.limitsOf(request.model));
    const hold = await this.leases.hold(caller, worstCasePicos(rates, bounds));
    return {
      requestId: newId('req'),
      request,
      caller,
      entrypoint,
      startedAt,
      bounds,
      hold,
      priceListId,
      rates,
      usdPerUnit,
    };
  }

  private limitsOf(model: string) {
    const limits = this.config.MODEL_LIMITS ?? {};
    return (Object.hasOwn(limits, model) ? limits[model] : limits['*']) ?? {};
  }
}

/** What an admitted request comes to, at the prices in force when it began. */
export function usageEventOf(
  admission: Admission,
  served: { upstream: string; outcome: Outcome; usage: TokenUsage; estimated: boolean },
): UsageEvent {
  const { inputTokens, outputTokens } = served.usage;
  return {
    requestId: admission.requestId,
    startedAt: admission.startedAt,
    accountId: admission.caller.accountId,
    apiKeyId: admission.caller.apiKey?.id ?? null,
    model: admission.request.model,
    entrypoint: admission.entrypoint,
    endpoint: admission.request.endpoint,
    upstream: served.upstream,
    outcome: served.outcome,
    inputTokens,
    outputTokens,
    estimated: served.estimated,
    priceListId: admission.priceListId,
    usdPerUnit: admission.usdPerUnit,
    charge: charge(admission.rates, served.usage, admission.usdPerUnit),
  };
}
