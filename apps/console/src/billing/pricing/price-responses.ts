import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { PRICE_UNITS, type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import {
  type ExactNumber,
  exactNumber,
  PICO_DIGITS,
  picosToDecimal,
  scaledToDecimal,
} from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { MODALITIES, type Modality } from './model-details.config';
import { type GpuPriceRow, type ModelPriceRow, type TrainingPriceRow } from './price-lists.repository';

/** Spec: Published pricing. */
export class ModelPriceResponse {
  @ApiProperty({ description: 'Slug of the model.', example: 'sandbox-chat' })
  slug!: string;

  @ApiProperty({ description: 'What the price is for.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @MoneyProperty({ description: 'Price of the unit in the currency.', example: 2.5 })
  price!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;
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

export class PricingResponse extends ModelPriceListResponse {
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

/** What a publication changed, or would change. */
export class ModelPublicationResponse extends ModelPriceListResponse {
  @ApiProperty({ description: 'Prices that are new.', type: [ModelPriceResponse] })
  added!: ModelPriceResponse[];

  @ApiProperty({ description: 'Prices with another amount than before.', type: [ChangedModelPriceResponse] })
  changed!: ChangedModelPriceResponse[];

  @ApiProperty({ description: 'Prices that are no longer in the list.', type: [ModelPriceResponse] })
  removed!: ModelPriceResponse[];
}

/** What a publication changed, or would change. */
export class GpuPublicationResponse extends GpuPriceListResponse {
  @ApiProperty({ description: 'Prices that are new.', type: [GpuPriceResponse] })
  added!: GpuPriceResponse[];

  @ApiProperty({ description: 'Prices with another amount than before.', type: [ChangedGpuPriceResponse] })
  changed!: ChangedGpuPriceResponse[];

  @ApiProperty({ description: 'Prices that are no longer in the list.', type: [GpuPriceResponse] })
  removed!: GpuPriceResponse[];
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
