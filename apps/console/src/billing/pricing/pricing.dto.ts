import { PRICE_UNITS, type PriceUnit } from '@inference/metering';
import { InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { z } from 'zod';
import { type DecimalBounds, exactDecimal } from '../../validation/money-fields';
import { singleLineText } from '../../validation/text-fields';
import { priceDecimals } from './price-views';
import { modelSlug } from '../../validation/model-slug';

/** A higher price for a million tokens, a request or an hour is a typing error. */
const MAX_PRICE = 1_000_000;
const MAX_ROWS = 5_000;

/** Units that price input and output separately. */
const PRICED_BY_SIDE: PriceUnit[] = ['per_million_input_tokens', 'per_million_output_tokens'];

const priceField = () => z.number('must be a number').min(0, 'must not be negative');
const currencyField = () => z.enum(['USD', 'CNY'], 'must be USD or CNY').optional();

/** Adds an issue if the price cannot be stored exactly. */
function scaledPrice(value: number, bounds: DecimalBounds, path: string, context: z.RefinementCtx): bigint {
  try {
    return exactDecimal(value, bounds);
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error;
    context.addIssue({ code: 'custom', path: [path], message: error.message });
    return z.NEVER;
  }
}

const modelRow = z
  .strictObject({
    slug: modelSlug,
    unit: z.enum(PRICE_UNITS, `must be one of ${PRICE_UNITS.join(', ')}`),
    price: priceField(),
    currency: currencyField(),
  })
  .transform(({ slug, unit, price, currency }, context) => {
    // The price of a million tokens in its smallest decimal equals the price of one token in picos.
    const bounds = { decimals: priceDecimals(unit), max: MAX_PRICE };
    return { slug, unit, currency, ratePicos: scaledPrice(price, bounds, 'price', context) };
  });
export type ModelPrice = z.output<typeof modelRow>;

export const gpuName = singleLineText(100);

const gpuRow = z
  .strictObject({
    name: gpuName,
    hourly_price: priceField(),
    currency: currencyField(),
  })
  .transform(({ name, hourly_price, currency }, context) => {
    const bounds = { decimals: PICO_DIGITS, max: MAX_PRICE };
    return { name, currency, hourlyPricePicos: scaledPrice(hourly_price, bounds, 'hourly_price', context) };
  });
export type GpuPrice = z.output<typeof gpuRow>;

/** Allows one price per slug and unit, and either one price for all tokens or separate input and output prices. */
function refuseOverlaps(rows: ModelPrice[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  const bySide = new Set(rows.filter(({ unit }) => PRICED_BY_SIDE.includes(unit)).map(({ slug }) => slug));
  for (const [index, { slug, unit }] of rows.entries()) {
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: [index, 'unit'], message: `${slug} ${message}` });
    if (seen.has(`${slug} ${unit}`)) refuse(`has more than one price ${unit}`);
    seen.add(`${slug} ${unit}`);
    if (unit === 'per_million_tokens' && bySide.has(slug)) {
      refuse('is priced per_million_tokens and also by input or output tokens');
    }
  }
}

export const publishModelPricesDto = z.strictObject({
  models: z.array(modelRow).max(MAX_ROWS, `must have at most ${MAX_ROWS} rows`).superRefine(refuseOverlaps),
});
export type PublishModelPricesDto = z.output<typeof publishModelPricesDto>;

export const publishGpuPricesDto = z.strictObject({
  gpus: z
    .array(gpuRow)
    .max(MAX_ROWS, `must have at most ${MAX_ROWS} rows`)
    .superRefine((rows, context) => {
      const seen = new Set<string>();
      for (const [index, { name }] of rows.entries()) {
        const message = 'is there more than once';
        if (seen.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message });
        seen.add(name);
      }
    }),
});
export type PublishGpuPricesDto = z.output<typeof publishGpuPricesDto>;

export const pricingQuery = z.object({
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, 'must be a whole number from 1 to 100')
    .optional(),
});
export type PricingQuery = z.output<typeof pricingQuery>;
