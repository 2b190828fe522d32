import { InstantProperty, LineField, NextCursorProperty } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { SlugField } from '../../validation/slug-field.decorator';
import { GpuPriceResponse, ModelPriceResponse, TrainingPriceResponse } from './price-responses';
import { MAX_NAME_CHARS } from './pricing.dto';

export class ModelHistoryQuery extends PageQuery {
  @SlugField({
    description: 'Only the lists that changed the prices of this model, each with these prices only.',
    example: 'sandbox-chat',
    optional: true,
  })
  slug?: string;
}

export class GpuHistoryQuery extends PageQuery {
  @LineField({
    description: 'Only the lists that changed the price of this GPU, each with this price only.',
    example: 'NVIDIA H100',
    maxLength: MAX_NAME_CHARS,
    optional: true,
  })
  name?: string;
}

/** A published list, without its prices. */
export class PublishedListResponse {
  @ApiProperty({ description: 'Names the list.', example: '42' })
  id!: string;

  @InstantProperty({ description: 'From when on the prices hold.' })
  effective_from!: string;

  @ApiProperty({
    description: 'Account id of the admin; null for a list that no account published.',
    type: String,
    nullable: true,
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  published_by!: string | null;

  @ApiProperty({
    description: 'The e-mail address of that account.',
    type: String,
    nullable: true,
    example: 'ann@example.com',
  })
  published_by_email!: string | null;

  @ApiProperty({
    description: 'Why it was published; null if nobody said.',
    type: String,
    nullable: true,
    example: 'The provider has raised its prices',
  })
  reason!: string | null;
}

export class PublishedModelListResponse extends PublishedListResponse {
  @ApiProperty({ description: 'The prices.', type: [ModelPriceResponse] })
  models!: ModelPriceResponse[];
}

export class PublishedGpuListResponse extends PublishedListResponse {
  @ApiProperty({ description: 'The prices.', type: [GpuPriceResponse] })
  gpus!: GpuPriceResponse[];
}

export class PublishedTrainingListResponse extends PublishedListResponse {
  @ApiProperty({ description: 'The price.', type: TrainingPriceResponse })
  training!: TrainingPriceResponse;
}

export class ModelHistoryResponse {
  @ApiProperty({ description: 'Price lists, newest first.', type: [PublishedModelListResponse] })
  lists!: PublishedModelListResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class GpuHistoryResponse {
  @ApiProperty({ description: 'Price lists, newest first.', type: [PublishedGpuListResponse] })
  lists!: PublishedGpuListResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class TrainingHistoryResponse {
  @ApiProperty({ description: 'Prices of training, newest first.', type: [PublishedTrainingListResponse] })
  lists!: PublishedTrainingListResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
