import { PRICE_UNITS, type PriceUnit } from '@inference/metering';
import { InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { z } from 'zod';
import { type DecimalBounds, exactDecimal } from '../money-fields';
import { line } from '../text-fields';
import { priceDecimals } from './price-views';
import { slugField } from './slug';

/** More than this for a million tokens, a request or an hour is a slip of the keyboard. */
const MAX_PRICE = 1_000_000;
const MAX_ROWS = 5_000;

const PRICED_BY_SIDE: PriceUnit[] = ['per_million_input_tokens', 'per_million_output_tokens'];

const priceField = () => z.number('must be a number').min(0, 'must not be negative');
const currencyField = () => z.enum(['USD', 'CNY'], 'must be USD or CNY').optional();

/** Adds an issue and returns no value when the price cannot be kept exactly. */
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
    slug: slugField,
    unit: z.enum(PRICE_UNITS, `must be one of ${PRICE_UNITS.join(', ')}`),
    price: priceField(),
    currency: currencyField(),
  })
  .transform(({ slug, unit, price, currency }, context) => {
    // Counted in its smallest decimal, the price of a million tokens is the price of one token in picos.
    const bounds = { decimals: priceDecimals(unit), max: MAX_PRICE };
    return { slug, unit, currency, ratePicos: scaledPrice(price, bounds, 'price', context) };
  });
export type ModelPrice = z.output<typeof modelRow>;

export const gpuName = line(100);

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

/** One price per slug and unit; and a token is either priced alike in and out, or by its side. */
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

export const modelPriceList = z.strictObject({
  models: z.array(modelRow).max(MAX_ROWS, `must have at most ${MAX_ROWS} rows`).superRefine(refuseOverlaps),
});
export type ModelPriceList = z.output<typeof modelPriceList>;

export const gpuPriceList = z.strictObject({
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
export type GpuPriceList = z.output<typeof gpuPriceList>;

export const pricingQuery = z.object({
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, 'must be a whole number from 1 to 100')
    .optional(),
});
export type PricingQuery = z.output<typeof pricingQuery>;
