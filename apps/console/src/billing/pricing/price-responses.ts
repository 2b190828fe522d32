import { type Currency } from '@inference/config';
import { CurrencyProperty, InstantProperty, MoneyProperty } from '@inference/dto';
import {
  conditionCount,
  type Meter,
  METERS,
  newestEffective,
  PRICE_UNITS,
  type PriceUnit,
  SERVICE_TIERS,
  type ServiceTier,
  UNIT_DIGITS,
} from '@inference/metering';
import {
  type ExactNumber,
  exactNumber,
  PICO_DIGITS,
  picosToDecimal,
  scaledToDecimal,
} from '@inference/money';
import { MODALITIES, type Modality } from '@inference/serving';
import { ApiProperty } from '@nestjs/swagger';
import { type GpuPriceRow, type ModelPriceRow, type TrainingPriceRow } from './price-lists.repository';

/** When a price holds. What is absent does not limit it. */
class ConditionsResponse {
  @ApiProperty({
    description:
      'For calls with at least so many tokens of input, cached ones included; then for the whole call.',
    type: 'integer',
    required: false,
    example: 200_000,
  })
  min_input_tokens?: number;

  @ApiProperty({
    description: 'For calls that the model’s server reports as served so.',
    enum: SERVICE_TIERS,
    required: false,
  })
  service_tier?: ServiceTier;

  @ApiProperty({
    description:
      'For calls that begin in this daily window, without its end: in UTC, on the China site in `Asia/Shanghai`. It may pass midnight.',
    required: false,
    example: '16:30-00:30',
  })
  hours?: string;
}

/** A price that holds for some calls. */
export class ConditionalPriceResponse extends ConditionsResponse {
  @MoneyProperty({ description: 'Price of the unit in the currency.', example: 2.5 })
  price!: ExactNumber;
}

/** A price that becomes effective later. */
export class UpcomingPriceResponse extends ConditionalPriceResponse {
  @InstantProperty({ description: 'From when on it replaces the price with the same conditions.' })
  effective_from!: string;
}

/** Spec: Published pricing. */
export class OfferedModelPriceResponse {
  @ApiProperty({ description: 'Slug of the model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({ description: 'What the price is for.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @MoneyProperty({
    description: 'Price of the unit in the currency, where no other one holds.',
    example: 2.5,
  })
  price!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({
    description:
      'Other prices of the unit. Of those that hold for a call, the one with most conditions is charged, and of equal kinds of conditions that of the most tokens. Absent if there are none.',
    type: [ConditionalPriceResponse],
    required: false,
  })
  conditional_prices?: ConditionalPriceResponse[];

  @ApiProperty({
    description:
      'Prices of the unit that become effective later, the next one first. Absent if there are none.',
    type: [UpcomingPriceResponse],
    required: false,
  })
  upcoming?: UpcomingPriceResponse[];
}

/** A price as it is published. */
export class ModelPriceResponse extends ConditionsResponse {
  @ApiProperty({ description: 'Slug of the model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({ description: 'What the price is for.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @MoneyProperty({ description: 'Price of the unit in the currency.', example: 2.5 })
  price!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @InstantProperty({
    description:
      'From when on it replaces the price with the same unit and conditions; absent if it is effective.',
    optional: true,
  })
  effective_from?: string;
}

export class GpuPriceResponse {
  @ApiProperty({ description: 'Name of the GPU.', example: 'NVIDIA H100' })
  name!: string;

  @MoneyProperty({ description: 'Price of an hour in the currency.', example: 2.99 })
  hourly_price!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;
}

export class TrainingPriceResponse {
  @MoneyProperty({ description: 'Price of a million tokens in the currency.', example: 3 })
  token_per_m!: ExactNumber;

  @MoneyProperty({
    description:
      'Price of a GPU hour in the currency; null for a price that was published before GPU hours had one.',
    nullable: true,
    example: 2.99,
  })
  gpu_hour!: ExactNumber | null;

  @CurrencyProperty()
  currency!: Currency;
}

export class ModelPriceListResponse {
  @ApiProperty({ description: 'Prices of models, in their published order.', type: [ModelPriceResponse] })
  models!: ModelPriceResponse[];
}

export class GpuPriceListResponse {
  @ApiProperty({ description: 'Prices of GPUs, in their published order.', type: [GpuPriceResponse] })
  gpus!: GpuPriceResponse[];
}

/** What a model takes and gives, as far as the operator says it. */
export class ModelDetailsResponse {
  @ApiProperty({ description: 'Slug of the model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({
    description: 'Tokens of prompt and answer together; null if not known.',
    type: 'integer',
    nullable: true,
    example: 131_072,
  })
  context_tokens!: number | null;

  @ApiProperty({
    description: 'Tokens of the answer to a request that sets no limit; null if not known.',
    type: 'integer',
    nullable: true,
    example: 4_096,
  })
  max_output_tokens!: number | null;

  @ApiProperty({
    description: 'Kinds of content that it takes; null if not known.',
    enum: MODALITIES,
    isArray: true,
    nullable: true,
    example: ['text'],
  })
  input_modalities!: Modality[] | null;

  @ApiProperty({
    description: 'Kinds of content that it gives; null if not known.',
    enum: MODALITIES,
    isArray: true,
    nullable: true,
    example: ['text'],
  })
  output_modalities!: Modality[] | null;
}

export class PricingResponse {
  @ApiProperty({
    description: 'A row for each slug and unit that has a price now, in their published order.',
    type: [OfferedModelPriceResponse],
  })
  models!: OfferedModelPriceResponse[];

  @ApiProperty({
    description: 'Further facts of the models of the list for which there are any.',
    type: [ModelDetailsResponse],
  })
  model_details!: ModelDetailsResponse[];

  @ApiProperty({ description: 'Prices of GPUs, in their published order.', type: [GpuPriceResponse] })
  gpus!: GpuPriceResponse[];
}

export class ChangedModelPriceResponse extends ModelPriceResponse {
  @MoneyProperty({ description: 'The former price, in the currency.', example: 2 })
  previous_price!: ExactNumber;
}

export class ChangedGpuPriceResponse extends GpuPriceResponse {
  @MoneyProperty({ description: 'The former price of an hour, in the currency.', example: 3.49 })
  previous_hourly_price!: ExactNumber;
}

/** A price of a model that is below what an upstream takes. */
export class BelowCostResponse {
  @ApiProperty({ description: 'The model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({
    description: 'The unit of its price.',
    enum: PRICE_UNITS,
    example: 'per_million_output_tokens',
  })
  unit!: PriceUnit;

  @ApiProperty({ description: 'The name of the upstream.', example: 'gpu-1' })
  upstream!: string;

  @ApiProperty({ description: 'What is counted.', enum: METERS, example: 'output' })
  meter!: Meter;
}

/** The prices below what an active upstream takes, of all that a publication is about. */
export const BelowCostProperty = () =>
  ApiProperty({
    description:
      'Prices of models below what an active upstream takes. Prices with conditions are not compared.',
    type: [BelowCostResponse],
  });

/** What a publication changed, or would change. */
export class ModelPublicationResponse extends ModelPriceListResponse {
  @ApiProperty({ description: 'Prices that are new.', type: [ModelPriceResponse] })
  added!: ModelPriceResponse[];

  @ApiProperty({ description: 'Prices with another amount than before.', type: [ChangedModelPriceResponse] })
  changed!: ChangedModelPriceResponse[];

  @ApiProperty({ description: 'Prices that are no longer in the list.', type: [ModelPriceResponse] })
  removed!: ModelPriceResponse[];

  @ApiProperty({
    description:
      'The prices that change by half or more, which may be a slip of a digit, and those below what an active upstream takes.',
    type: [String],
    example: ['sandbox-chat per_request: changes by half or more'],
  })
  warnings!: string[];

  @BelowCostProperty()
  below_cost!: BelowCostResponse[];
}

/** What a publication changed, or would change. */
export class GpuPublicationResponse extends GpuPriceListResponse {
  @ApiProperty({ description: 'Prices that are new.', type: [GpuPriceResponse] })
  added!: GpuPriceResponse[];

  @ApiProperty({ description: 'Prices with another amount than before.', type: [ChangedGpuPriceResponse] })
  changed!: ChangedGpuPriceResponse[];

  @ApiProperty({ description: 'Prices that are no longer in the list.', type: [GpuPriceResponse] })
  removed!: GpuPriceResponse[];

  @ApiProperty({
    description: 'The prices that change by half or more, which may be a slip of a digit.',
    type: [String],
    example: ['NVIDIA H100: changes by half or more'],
  })
  warnings!: string[];
}

export class CurrentTrainingPriceResponse {
  @ApiProperty({
    description: 'The current price; null before the first one.',
    type: TrainingPriceResponse,
    nullable: true,
  })
  training!: TrainingPriceResponse | null;
}

export class PublishedTrainingPriceResponse {
  @ApiProperty({ description: 'The price that is published, or would be.', type: TrainingPriceResponse })
  training!: TrainingPriceResponse;
}

/** Decimals that a price in this unit may have, so that the price of the smallest quantity is whole picos. */
export const priceDecimals = (unit: PriceUnit) => PICO_DIGITS - UNIT_DIGITS[unit];

type PriceFields = Omit<ModelPriceRow, 'slug' | 'unit' | 'ratePicos'>;

const conditionsView = ({ minInputTokens, serviceTier, hours }: PriceFields): ConditionsResponse => ({
  ...(minInputTokens && { min_input_tokens: minInputTokens }),
  ...(serviceTier && { service_tier: serviceTier }),
  ...(hours && { hours }),
});

const priceOf = ({ unit, ratePicos }: ModelPriceRow) =>
  exactNumber(scaledToDecimal(ratePicos, priceDecimals(unit)));

export const modelPriceView = (row: ModelPriceRow, currency: Currency): ModelPriceResponse => ({
  slug: row.slug,
  unit: row.unit,
  price: priceOf(row),
  currency,
  ...conditionsView(row),
  ...(row.effectiveFrom && { effective_from: row.effectiveFrom.toISOString() }),
});

/** The prices of a list as they are offered at an instant: a row for each slug and unit that has a price then. */
export function offeredPrices(
  rows: readonly ModelPriceRow[],
  currency: Currency,
  at: Date,
): OfferedModelPriceResponse[] {
  const units = new Map<string, ModelPriceRow[]>();
  for (const row of rows) {
    const key = `${row.slug} ${row.unit}`;
    units.set(key, [...(units.get(key) ?? []), row]);
  }
  return [...units.values()].flatMap((prices) => {
    const effective = newestEffective(prices, at);
    const plain = effective.find((row) => conditionCount(row) === 0);
    if (!plain) return [];
    const conditional = effective.filter((row) => conditionCount(row) > 0);
    const upcoming = prices
      .flatMap((row) => (row.effectiveFrom && row.effectiveFrom > at ? { row, from: row.effectiveFrom } : []))
      .sort((one, other) => one.from.getTime() - other.from.getTime());
    return {
      slug: plain.slug,
      unit: plain.unit,
      price: priceOf(plain),
      currency,
      ...(conditional.length > 0 && {
        conditional_prices: conditional.map((row) => ({ price: priceOf(row), ...conditionsView(row) })),
      }),
      ...(upcoming.length > 0 && {
        upcoming: upcoming.map(({ row, from }) => ({
          price: priceOf(row),
          ...conditionsView(row),
          effective_from: from.toISOString(),
        })),
      }),
    };
  });
}

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
