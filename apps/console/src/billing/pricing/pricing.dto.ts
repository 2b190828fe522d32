import { CURRENCIES, type Currency } from '@inference/config';
import {
  ChoiceField,
  FlagParameter,
  InstantField,
  IntegerField,
  IntegerParameter,
  LineField,
  ObjectListField,
  TextField,
} from '@inference/dto';
import {
  HOURS_FORM,
  PRICE_UNITS,
  type PriceUnit,
  SERVICE_TIERS,
  type ServiceTier,
} from '@inference/metering';
import { PICO_DIGITS } from '@inference/money';
import { type InstantMicros } from '@inference/time';
import { AmountField, type AmountOptions } from '../../validation/amount-field.decorator';
import { SlugField } from '../../validation/slug-field.decorator';
import { MAX_ROWS } from './price-list-rules';
import { priceDecimals } from './price-responses';

/** A higher price for a million tokens, a request or an hour is a typing error. */
const MAX_PRICE = 1_000_000;
/** No model reads so much at once. */
const MAX_CONTEXT_TOKENS = 1_000_000_000;
/** Longest name of a GPU. */
export const MAX_NAME_CHARS = 100;

export const PriceField = (
  options: Pick<AmountOptions, 'description' | 'decimals' | 'nullable'>,
): PropertyDecorator =>
  AmountField({
    ...options,
    example: 2.5,
    max: MAX_PRICE,
    rule: [(scaled) => scaled >= 0n, 'must not be negative'],
  });

/** The price of a million tokens in its smallest decimal equals the price of one token in picos. */
export const decimalsOfUnit = ({ unit }: Record<string, unknown>): number =>
  PRICE_UNITS.includes(unit as PriceUnit) ? priceDecimals(unit as PriceUnit) : PICO_DIGITS;

const CurrencyField = (): PropertyDecorator =>
  ChoiceField(CURRENCIES, {
    description: 'Currency of the price; it must be that of the site.',
    example: 'USD',
    optional: true,
  });

export const MODEL_PRICE =
  'Price of the unit in the currency of the site, with at most 12 decimals; 6 for a million tokens or characters. A text for more digits than a JSON number keeps.';
const HOURLY_PRICE =
  'Price of an hour in the currency of the site, with at most 12 decimals. A text for more digits than a JSON number keeps.';

/** What a price is for, and when it holds. */
export class UnitPriceDto {
  @ChoiceField(PRICE_UNITS, { description: 'What the price is for.', example: 'per_million_tokens' })
  unit!: PriceUnit;

  @CurrencyField()
  currency?: Currency;

  @IntegerField({
    description:
      'The price holds for calls with at least so many tokens of input, cached ones included; then for the whole call.',
    example: 200_000,
    min: 1,
    max: MAX_CONTEXT_TOKENS,
    optional: true,
    nullable: true,
  })
  min_input_tokens?: number | null;

  @ChoiceField(SERVICE_TIERS, {
    description: 'The price holds for calls that the model’s server reports as served so.',
    example: 'flex',
    optional: true,
    nullable: true,
  })
  service_tier?: ServiceTier | null;

  @TextField({
    description:
      'The price holds for calls that begin in this daily window, without its end: in UTC, on the China site in `Asia/Shanghai`. It may pass midnight.',
    example: '16:30-00:30',
    pattern: [HOURS_FORM, 'must be a daily window such as 16:30-00:30'],
    optional: true,
    nullable: true,
  })
  hours?: string | null;

  @InstantField({
    description:
      'From then on the price replaces the one with the same unit and conditions. A time that has passed is now. Absent: at once.',
    example: '2027-01-01T00:00:00Z',
    optional: true,
    nullable: true,
  })
  effective_from?: InstantMicros | null;
}

class ModelUnitDto extends UnitPriceDto {
  @SlugField({ description: 'Slug of the model.', example: 'sandbox-chat' })
  slug!: string;
}

export class ModelPriceDto extends ModelUnitDto {
  /** In picos for one token or request. */
  @PriceField({ description: MODEL_PRICE, decimals: decimalsOfUnit })
  price!: bigint;
}

export class ModelPriceChangeDto extends ModelUnitDto {
  @PriceField({ description: `${MODEL_PRICE} Null removes it.`, decimals: decimalsOfUnit, nullable: true })
  price!: bigint | null;
}

class GpuNameDto {
  @LineField({ description: 'Name of the GPU.', example: 'NVIDIA H100', maxLength: MAX_NAME_CHARS })
  name!: string;

  @CurrencyField()
  currency?: Currency;
}

export class GpuPriceDto extends GpuNameDto {
  @PriceField({ description: HOURLY_PRICE, decimals: PICO_DIGITS })
  hourly_price!: bigint;
}

export class GpuPriceChangeDto extends GpuNameDto {
  @PriceField({ description: `${HOURLY_PRICE} Null removes it.`, decimals: PICO_DIGITS, nullable: true })
  hourly_price!: bigint | null;
}

export class PublishModelPricesDto {
  @ObjectListField(() => ModelPriceDto, {
    description:
      'The whole list. A model has one price for a unit without conditions, any number with others than each other, and either a price for all tokens or prices for input and output. Two prices that can hold for the same call are refused unless one has more conditions, or a higher context tier.',
    maxItems: MAX_ROWS,
  })
  models!: ModelPriceDto[];
}

export class ChangeModelPricesDto {
  @ObjectListField(() => ModelPriceChangeDto, {
    description: 'The prices to add, change or remove. Other prices stay.',
    minItems: 1,
    maxItems: MAX_ROWS,
  })
  models!: ModelPriceChangeDto[];
}

export class PublishGpuPricesDto {
  @ObjectListField(() => GpuPriceDto, {
    description: 'The whole list. Each name is there once.',
    maxItems: MAX_ROWS,
  })
  gpus!: GpuPriceDto[];
}

export class ChangeGpuPricesDto {
  @ObjectListField(() => GpuPriceChangeDto, {
    description: 'The prices to add, change or remove. Other prices stay.',
    minItems: 1,
    maxItems: MAX_ROWS,
  })
  gpus!: GpuPriceChangeDto[];
}

export class PublishTrainingPriceDto {
  /** In picos for one token. */
  @PriceField({
    description: 'Price of a million tokens in the currency of the site, with at most 6 decimals.',
    decimals: priceDecimals('per_million_tokens'),
  })
  token_per_m!: bigint;

  @PriceField({
    description:
      'Price of a GPU hour in the currency of the site, with at most 12 decimals. A text for more digits than a JSON number keeps.',
    decimals: PICO_DIGITS,
  })
  gpu_hour!: bigint;

  @CurrencyField()
  currency?: Currency;
}

const MAX_REASON_CHARS = 500;

export class PublishQuery {
  @FlagParameter({
    description: 'True answers what would change and stores nothing.',
    optional: true,
    default: false,
  })
  dry_run: boolean = false;

  @TextField({
    description:
      'The `id` of the newest list in the history, on which the change is based; 0 before the first. If another one was published meanwhile, nothing is stored. If absent, the newest list is changed whichever it is. A dry run does not compare it.',
    example: '42',
    optional: true,
    pattern: [/^\d{1,18}$/, 'must be the id of a list'],
  })
  version?: string;

  @LineField({
    description: 'Why the prices change, for the history.',
    example: 'The provider has raised its prices',
    maxLength: MAX_REASON_CHARS,
    optional: true,
  })
  reason?: string;
}

export class PricingQuery {
  @IntegerParameter({
    description: 'Most entries of each of the two lists. All by default.',
    min: 1,
    max: 100,
    optional: true,
  })
  limit?: number;
}
