import { CURRENCIES, type Currency } from '@inference/config';
import { TextField } from '@inference/dto';
import { PRICE_UNITS, type PriceUnit, SERVICE_TIERS, type ServiceTier } from '@inference/metering';
import { MODALITIES, type Modality } from '@inference/serving';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

/** A wildcard route splits a slug at its slashes. */
const joined = ({ value }: { value: unknown }): unknown => (Array.isArray(value) ? value.join('/') : value);

export class ModelPath {
  @Transform(joined)
  @TextField({
    description: 'The model. It may contain slashes, as they are or as `%2F`.',
    example: 'sandbox-chat',
  })
  slug!: string;
}

class ModelPriceResponse {
  @ApiProperty({ enum: PRICE_UNITS, description: 'The unit.' })
  unit!: PriceUnit;

  @ApiProperty({ description: 'Price of one unit, an exact decimal text.', example: '0.15' })
  price!: string;

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'The price is that of calls with at least so many input tokens.',
    example: 200_000,
  })
  min_input_tokens?: number;

  @ApiProperty({ enum: SERVICE_TIERS, required: false, description: 'The price is that of the tier.' })
  service_tier?: ServiceTier;
}

class ModelPricingResponse {
  @ApiProperty({ enum: CURRENCIES, description: 'The currency of all prices.', example: 'USD' })
  currency!: Currency;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Price of one token of the prompt without conditions, an exact decimal text.',
    example: '0.00000015',
  })
  prompt!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Price of one token of the answer without conditions, an exact decimal text.',
    example: '0.0000006',
  })
  completion!: string | null;

  @ApiProperty({ type: [ModelPriceResponse], description: 'All prices that hold now.' })
  prices!: ModelPriceResponse[];
}

/** What is known of a model beside OpenAI’s fields. */
export class ModelDetails {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Its name for people; null if it has none.',
    example: 'Sandbox Chat',
  })
  name!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Most tokens of prompt and answer together; null if not known.',
    example: 131_072,
  })
  context_length!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Limit of an answer in tokens if a request has none; null if not known.',
    example: 4096,
  })
  max_output_tokens!: number | null;

  @ApiProperty({ enum: MODALITIES, isArray: true, description: 'What it understands.', example: ['text'] })
  input_modalities!: Modality[];

  @ApiProperty({ enum: MODALITIES, isArray: true, description: 'What it answers.', example: ['text'] })
  output_modalities!: Modality[];

  @ApiProperty({ description: 'What it costs.' })
  pricing!: ModelPricingResponse;

  @ApiProperty({
    type: [String],
    description: 'Fields of requests that hold for it; further ones are passed to its server.',
    example: ['max_tokens', 'stream'],
  })
  supported_parameters!: string[];
}

export class ModelResponse extends ModelDetails {
  @ApiProperty({ description: 'The slug, which requests name as `model`.', example: 'sandbox-chat' })
  id!: string;

  @ApiProperty({ enum: ['model'], description: 'Always `model`.' })
  object!: 'model';

  @ApiProperty({
    type: 'integer',
    description: 'When the price list with this model came into force, in Unix seconds.',
    example: 1_790_000_000,
  })
  created!: number;

  @ApiProperty({ description: 'Who offers the model.', example: 'inference-platform' })
  owned_by!: string;
}

export class ModelListResponse {
  @ApiProperty({ enum: ['list'], description: 'Always `list`.' })
  object!: 'list';

  @ApiProperty({ description: 'All models that the caller may use.', type: [ModelResponse] })
  data!: ModelResponse[];
}
