import { type Currency } from '@inference/config';
import { type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import { exactNumber, PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import {
  type GpuPriceResponse,
  type ModelPriceResponse,
  type TrainingPriceResponse,
} from './price-responses';

/** Models, GPUs and training each have a price list of their own. */
export type PriceListKind = 'models' | 'gpus' | 'training';

/** Decimals that a price in this unit may have, so that the price of the smallest quantity is whole picos. */
export const priceDecimals = (unit: PriceUnit) => PICO_DIGITS - UNIT_DIGITS[unit];

export interface ModelPriceRow {
  slug: string;
  unit: PriceUnit;
  rate_picos: bigint;
}

export interface GpuPriceRow {
  name: string;
  hourly_price_picos: bigint;
}

export interface TrainingPriceRow {
  token_rate_picos: bigint;
  gpu_hour_picos: bigint | null;
}

export const modelPriceView = (
  { slug, unit, rate_picos: rate }: ModelPriceRow,
  currency: Currency,
): ModelPriceResponse => ({
  slug,
  unit,
  price: exactNumber(scaledToDecimal(rate, priceDecimals(unit))),
  currency,
});

export const gpuPriceView = (
  { name, hourly_price_picos: picos }: GpuPriceRow,
  currency: Currency,
): GpuPriceResponse => ({
  name,
  hourly_price: exactNumber(picosToDecimal(picos)),
  currency,
});

export const trainingPriceView = (
  { token_rate_picos: rate, gpu_hour_picos: picos }: TrainingPriceRow,
  currency: Currency,
): TrainingPriceResponse => ({
  token_per_m: exactNumber(scaledToDecimal(rate, priceDecimals('per_million_tokens'))),
  gpu_hour: picos === null ? null : exactNumber(picosToDecimal(picos)),
  currency,
});
