import { PRICE_UNITS } from '@inference/metering';
import { InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { z } from 'zod';
import { type DecimalBounds, exactDecimal } from '../../validation/money-fields';
import { singleLineText } from '../../validation/text-fields';
import { MAX_ROWS, overlappingUnits, repeatedUnits, type RowFault, TOO_MANY_ROWS } from './price-list-rules';
import { priceDecimals } from './price-views';
import { modelSlug } from '../../validation/model-slug';

/** A higher price for a million tokens, a request or an hour is a typing error. */
const MAX_PRICE = 1_000_000;

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

const modelFields = {
  slug: modelSlug,
  unit: z.enum(PRICE_UNITS, `must be one of ${PRICE_UNITS.join(', ')}`),
  currency: currencyField(),
};
/** The price of a million tokens in its smallest decimal equals the price of one token in picos. */
const unitBounds = (unit: (typeof PRICE_UNITS)[number]) => ({
  decimals: priceDecimals(unit),
  max: MAX_PRICE,
});

const modelRow = z
  .strictObject({ ...modelFields, price: priceField() })
  .transform(({ slug, unit, price, currency }, context) => {
    return { slug, unit, currency, rate_picos: scaledPrice(price, unitBounds(unit), 'price', context) };
  });
export type ModelPrice = z.output<typeof modelRow>;

const modelChange = z
  .strictObject({ ...modelFields, price: priceField().nullable() })
  .transform(({ slug, unit, price, currency }, context) => {
    const rate = price === null ? null : scaledPrice(price, unitBounds(unit), 'price', context);
    return { slug, unit, currency, rate_picos: rate };
  });
/** `rate_picos` null: the price is removed. */
export type ModelPriceChange = z.output<typeof modelChange>;

export const gpuName = singleLineText(100);
const hourBounds = { decimals: PICO_DIGITS, max: MAX_PRICE };

const gpuRow = z
  .strictObject({ name: gpuName, hourly_price: priceField(), currency: currencyField() })
  .transform(({ name, hourly_price, currency }, context) => {
    const picos = scaledPrice(hourly_price, hourBounds, 'hourly_price', context);
    return { name, currency, hourly_price_picos: picos };
  });
export type GpuPrice = z.output<typeof gpuRow>;

const gpuChange = z
  .strictObject({ name: gpuName, hourly_price: priceField().nullable(), currency: currencyField() })
  .transform(({ name, hourly_price: price, currency }, context) => {
    const picos = price === null ? null : scaledPrice(price, hourBounds, 'hourly_price', context);
    return { name, currency, hourly_price_picos: picos };
  });
/** `hourly_price_picos` null: the price is removed. */
export type GpuPriceChange = z.output<typeof gpuChange>;

const addIssues = (context: z.RefinementCtx, field: string, faults: RowFault[]) => {
  for (const { index, message } of faults)
    context.addIssue({ code: 'custom', path: [index, field], message });
};

const repeatedNames = (rows: readonly { name: string }[]) => {
  const names = rows.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ index, message: 'is there more than once' }] : [],
  );
};

export const publishModelPricesDto = z.strictObject({
  models: z
    .array(modelRow)
    .max(MAX_ROWS, TOO_MANY_ROWS)
    .superRefine((rows, context) =>
      addIssues(context, 'unit', [...repeatedUnits(rows), ...overlappingUnits(rows)]),
    ),
});
export type PublishModelPricesDto = z.output<typeof publishModelPricesDto>;

export const changeModelPricesDto = z.strictObject({
  models: z
    .array(modelChange)
    .min(1, 'must have at least one row')
    .max(MAX_ROWS, TOO_MANY_ROWS)
    .superRefine((rows, context) => addIssues(context, 'unit', repeatedUnits(rows))),
});
export type ChangeModelPricesDto = z.output<typeof changeModelPricesDto>;

export const publishGpuPricesDto = z.strictObject({
  gpus: z
    .array(gpuRow)
    .max(MAX_ROWS, TOO_MANY_ROWS)
    .superRefine((rows, context) => addIssues(context, 'name', repeatedNames(rows))),
});
export type PublishGpuPricesDto = z.output<typeof publishGpuPricesDto>;

export const changeGpuPricesDto = z.strictObject({
  gpus: z
    .array(gpuChange)
    .min(1, 'must have at least one row')
    .max(MAX_ROWS, TOO_MANY_ROWS)
    .superRefine((rows, context) => addIssues(context, 'name', repeatedNames(rows))),
});
export type ChangeGpuPricesDto = z.output<typeof changeGpuPricesDto>;

export const publishTrainingPriceDto = z
  .strictObject({ token_per_m: priceField(), gpu_hour: priceField(), currency: currencyField() })
  .transform(({ token_per_m: tokens, gpu_hour: hour, currency }, context) => ({
    currency,
    token_rate_picos: scaledPrice(tokens, unitBounds('per_million_tokens'), 'token_per_m', context),
    gpu_hour_picos: scaledPrice(hour, hourBounds, 'gpu_hour', context),
  }));
export type PublishTrainingPriceDto = z.output<typeof publishTrainingPriceDto>;

/** Strict, so that a misspelled `dry_run` does not publish. */
export const publishQuery = z.strictObject({
  dry_run: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
});
export type PublishQuery = z.output<typeof publishQuery>;

export const pricingQuery = z.object({
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, 'must be a whole number from 1 to 100')
    .optional(),
});
export type PricingQuery = z.output<typeof pricingQuery>;
