import { IdField, LineField, NextCursorProperty, ObjectListField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type ExactNumber } from '@inference/money';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PublishedListResponse } from './price-history.dto';
import { MAX_ROWS } from './price-list-rules';
import {
  BelowCostProperty,
  BelowCostResponse,
  ChangedModelPriceResponse,
  ModelPriceResponse,
} from './price-responses';
import { MODEL_PRICE, PriceField, decimalsOfUnit, UnitPriceDto } from './pricing.dto';

const MAX_MODEL_CHARS = 200;

export class CostPricesPath {
  @IdField({ noun: 'upstream', prefix: 'up', description: 'The upstream.' })
  id!: string;
}

export class CostPriceHistoryQuery extends PageQuery {}

export class CostPriceDto extends UnitPriceDto {
  @LineField({
    description: 'The upstream’s own name of the model: `upstream_name`, or else the slug.',
    example: 'llama-3.3-70b',
    maxLength: MAX_MODEL_CHARS,
  })
  model!: string;

  /** In picos for one token or request. */
  @PriceField({ description: MODEL_PRICE, decimals: decimalsOfUnit })
  price!: bigint;
}

export class PublishCostPricesDto {
  @ObjectListField(() => CostPriceDto, {
    description:
      'The whole list of the upstream; empty: its costs are not known. The rules are those of the prices of models.',
    maxItems: MAX_ROWS,
  })
  cost_prices!: CostPriceDto[];
}

const MODEL = { description: 'The upstream’s own name of the model.', example: 'llama-3.3-70b' };

export class CostPriceResponse extends OmitType(ModelPriceResponse, ['slug']) {
  @ApiProperty(MODEL)
  model!: string;
}

export class ChangedCostPriceResponse extends OmitType(ChangedModelPriceResponse, ['slug']) {
  @ApiProperty(MODEL)
  model!: string;

  declare previous_price: ExactNumber;
}

export class CostPriceListResponse {
  @ApiProperty({
    description: 'The `id` of the list, for `version` of a publication; `0` before the first one.',
    example: '42',
  })
  version!: string;

  @ApiProperty({ description: 'What the upstream takes, in the published order.', type: [CostPriceResponse] })
  cost_prices!: CostPriceResponse[];
}

export class CostPricePublicationResponse {
  @ApiProperty({ description: 'The list that is published, or would be.', type: [CostPriceResponse] })
  cost_prices!: CostPriceResponse[];

  @ApiProperty({ description: 'Prices that the former list does not have.', type: [CostPriceResponse] })
  added!: CostPriceResponse[];

  @ApiProperty({ description: 'Prices that differ from the former list.', type: [ChangedCostPriceResponse] })
  changed!: ChangedCostPriceResponse[];

  @ApiProperty({ description: 'Prices of the former list that are gone.', type: [CostPriceResponse] })
  removed!: CostPriceResponse[];

  @ApiProperty({
    description: 'Prices of models that would be below what the upstream takes.',
    type: [String],
    example: ['sandbox-chat per_million_output_tokens: is below what gpu-1 takes for output'],
  })
  warnings!: string[];

  @BelowCostProperty()
  below_cost!: BelowCostResponse[];
}

export class PublishedCostPriceListResponse extends PublishedListResponse {
  @ApiProperty({ description: 'The prices.', type: [CostPriceResponse] })
  cost_prices!: CostPriceResponse[];
}

export class CostPriceHistoryResponse {
  @ApiProperty({
    description: 'Lists of the upstream, newest first.',
    type: [PublishedCostPriceListResponse],
  })
  lists!: PublishedCostPriceListResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
