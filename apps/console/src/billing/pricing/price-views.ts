import { type Currency } from '@inference/config';
import { type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import { exactNumber, PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import { type GpuPriceRow, type ModelPriceRow, type TrainingPriceRow } from './price-lists.repository';
import {
  type GpuPriceResponse,
  type ModelPriceResponse,
  type TrainingPriceResponse,
} from './price-responses';

/** Decimals that a price in this unit may have, so that the price of the smallest quantity is whole picos. */
export const priceDecimals = (unit: PriceUnit) => PICO_DIGITS - UNIT_DIGITS[unit];

export const modelPriceView = (
  { slug, unit, ratePicos }: ModelPriceRow,
  currency: Currency,
): ModelPriceResponse => ({
  slug,
  unit,
  price: exactNumber(scaledToDecimal(ratePicos, priceDecimals(unit))),
  currency,
});

export const gpuPriceView = (
  { name, hourlyPricePicos }: GpuPriceRow,
  currency: Currency,
): GpuPriceResponse => ({
  name,
  hourly_price: exactNumber(picosToDecimal(hourlyPricePicos)),
  currency,
});

export const trainingPriceView = (
  { tokenRatePicos, gpuHourPicos }: TrainingPriceRow,
  currency: Currency,
): TrainingPriceResponse => ({
  token_per_m: exactNumber(scaledToDecimal(tokenRatePicos, priceDecimals('per_million_tokens'))),
  gpu_hour: gpuHourPicos === null ? null : exactNumber(picosToDecimal(gpuHourPicos)),
  currency,
});
