import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import {
  decimalToScaled,
  exactNumber,
  type ExactNumber,
  PICO_DIGITS,
  picosToDecimal,
  scaledToDecimal,
} from '@inference/money';
import { QUOTAS_CONFIG, type QuotasConfig } from '../quotas/quotas.config';
import { CAPABILITIES_CONFIG, type CapabilitiesConfig } from './capabilities.config';
import { type CapabilitiesResponse } from './capabilities.dto';
import { exchangeRateMissing, gpuPriceMissing, tokenPriceMissing } from '../prices/missing-price';

interface Row {
  balance_picos: bigint;
  total_tokens: bigint;
  used_tokens: bigint;
  token_rate_picos: bigint | null;
  gpu_hour_picos: bigint | null;
  usd_per_unit: string | null;
}

const TOKENS_PER_UNIT = 1_000_000n;

/** `$2`: the default total. */
const READ = `
  SELECT w.balance_picos, coalesce(q.total_tokens, $2::bigint) AS total_tokens, coalesce(q.used_tokens, 0) AS used_tokens,
    p.token_rate_picos, p.gpu_hour_picos, training.usd_per_unit(w.currency)::text AS usd_per_unit
  FROM wallet.wallets w
  LEFT JOIN training.quotas q USING (account_id)
  LEFT JOIN (
    SELECT token_rate_picos, gpu_hour_picos FROM pricing.training_prices ORDER BY price_list_id DESC LIMIT 1
  ) p ON true
  WHERE w.account_id = $1`;

@Injectable()
export class CapabilitiesService {
  constructor(
    private readonly database: Database,
    @Inject(CAPABILITIES_CONFIG) private readonly config: CapabilitiesConfig,
    @Inject(QUOTAS_CONFIG) private readonly quotas: QuotasConfig,
  ) {}

  /** Returns the current capabilities. Throws 503 while a price or, on the site cn, the exchange rate is missing. */
  async read(accountId: string): Promise<CapabilitiesResponse> {
    const { config } = this;
    const { rows } = await this.database.query<Row>(READ, [accountId, this.quotas.defaultTotalTokens]);
    const row = rows[0];
    if (!row) throw new Error(`The account ${accountId} has no wallet.`);
    return {
      models: config.models,
      methods: config.methods,
      lora_methods: config.loraMethods,
      export_formats: config.exportFormats,
      target_modules: config.targetModules,
      quota: { total: Number(row.total_tokens), used: Number(row.used_tokens) },
      balance: exactNumber(picosToDecimal(row.balance_picos)),
      pricing: {
        ...this.pricesOf(row),
        auto_intervention: {
          enabled: config.autoIntervention,
          conditions: config.interventionConditions,
        },
      },
    };
  }

  private pricesOf({ token_rate_picos: tokenRate, gpu_hour_picos: gpuHour, usd_per_unit: usdPerUnit }: Row) {
    if (tokenRate === null) throw tokenPriceMissing();
    if (gpuHour === null) throw gpuPriceMissing();
    if (usdPerUnit === null) throw exchangeRateMissing();
    return {
      gpu_hour_usd: inUsd(gpuHour, usdPerUnit),
      token_per_m_usd: inUsd(tokenRate * TOKENS_PER_UNIT, usdPerUnit),
    };
  }
}

/** The exact product, with all its digits. */
function inUsd(picos: bigint, usdPerUnit: string): ExactNumber {
  const scaled = picos * decimalToScaled(usdPerUnit, RATE_DIGITS);
  return exactNumber(scaledToDecimal(scaled, PICO_DIGITS + RATE_DIGITS));
}
