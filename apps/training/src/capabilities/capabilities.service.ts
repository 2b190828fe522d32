import { Database } from '@inference/database';
import { type Caller, restrictedKeyIdOf } from '@inference/guards';
import { RATE_DIGITS } from '@inference/metering';
import {
  decimalToScaled,
  exactNumber,
  type ExactNumber,
  PICO_DIGITS,
  picosToDecimal,
  scaledToDecimal,
} from '@inference/money';
import { Inject, Injectable } from '@nestjs/common';
import {
  CAPABILITIES_CONFIG,
  type CapabilitiesConfig,
  exchangeRateMissing,
  gpuPriceMissing,
  QUOTAS_CONFIG,
  type QuotasConfig,
  tokenPriceMissing,
} from '../config';
import { type CapabilitiesResponse } from './capabilities.dto';
import { type Means, readMeans } from './capabilities.repository';

const TOKENS_PER_UNIT = 1_000_000n;

@Injectable()
export class CapabilitiesService {
  constructor(
    private readonly database: Database,
    @Inject(CAPABILITIES_CONFIG) private readonly config: CapabilitiesConfig,
    @Inject(QUOTAS_CONFIG) private readonly quotas: QuotasConfig,
  ) {}

  /**
   * Returns the current capabilities; for a restricted API key, quota and balance are what is left for it. Throws 503 while a price
   * or, on the site cn, the exchange rate is missing.
   */
  async read(caller: Caller): Promise<CapabilitiesResponse> {
    const { config } = this;
    const { accountId } = caller;
    const apiKeyId = restrictedKeyIdOf(caller);
    const owner = { accountId, apiKeyId };
    const means = await readMeans(this.database, owner, this.quotas.defaultTotalTokens);
    if (!means) throw new Error(`The account ${accountId} has no wallet.`);
    return {
      models: config.models,
      methods: config.methods,
      lora_methods: config.loraMethods,
      export_formats: config.exportFormats,
      target_modules: config.targetModules,
      quota: apiKeyId === null ? quotaOf(means) : quotaLeftOf(means),
      balance: exactNumber(picosToDecimal(spendablePicos(means))),
      pricing: {
        ...this.pricesOf(means),
        auto_intervention: {
          enabled: config.autoIntervention,
          conditions: config.interventionConditions,
        },
      },
    };
  }

  private pricesOf({ tokenRatePicos, gpuHourPicos, usdPerUnit }: Means) {
    if (tokenRatePicos === null) throw tokenPriceMissing();
    if (gpuHourPicos === null) throw gpuPriceMissing();
    if (usdPerUnit === null) throw exchangeRateMissing();
    return {
      gpu_hour_usd: inUsd(gpuHourPicos, usdPerUnit),
      token_per_m_usd: inUsd(tokenRatePicos * TOKENS_PER_UNIT, usdPerUnit),
    };
  }
}

const quotaOf = ({ totalTokens, usedTokens }: Means) => ({
  total: Number(totalTokens),
  used: Number(usedTokens),
});

/** Trainings are recorded for the account, so a key has used nothing. A quota may have been lowered below what is used. */
const quotaLeftOf = ({ totalTokens, usedTokens }: Means) => ({
  total: totalTokens > usedTokens ? Number(totalTokens - usedTokens) : 0,
  used: 0,
});

/** The balance, or what the key may still spend if that is less. */
function spendablePicos({ balancePicos, keyRestPicos }: Means): bigint {
  if (keyRestPicos === null || keyRestPicos >= balancePicos) return balancePicos;
  return keyRestPicos > 0n ? keyRestPicos : 0n;
}

/** The exact product, with all its digits. */
function inUsd(picos: bigint, usdPerUnit: string): ExactNumber {
  const scaled = picos * decimalToScaled(usdPerUnit, RATE_DIGITS);
  return exactNumber(scaledToDecimal(scaled, PICO_DIGITS + RATE_DIGITS));
}
