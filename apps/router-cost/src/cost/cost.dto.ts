import { IntegerParameter, MoneyProperty, NextCursorProperty, TextField } from '@inference/dto';
import { PeriodQuery } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { type Dimension, GroupByField } from './group-by-field.decorator';

export class CostQuery extends PeriodQuery {
  @GroupByField({
    description:
      'Comma-separated dimensions, each at most once: user, model, entrypoint. Without one, the report is one sum.',
    example: 'user,model',
    optional: true,
  })
  group_by: Dimension[] = [];

  @IntegerParameter({
    description: 'Most items of a page; 50 by default. A CSV report has no pages.',
    min: 1,
    max: 100,
    optional: true,
  })
  limit?: number;

  @TextField({
    description: 'The `next_cursor` of the previous page of the same report. A CSV report has no pages.',
    optional: true,
    minLength: 0,
  })
  cursor?: string;
}

/** Spec: Router cost item. */
export class CostItemResponse implements Partial<Record<Dimension, string>> {
  @ApiProperty({
    description: 'Account id. Present when grouped by user.',
    required: false,
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  user?: string;

  @ApiProperty({
    description: 'Slug of the model. Present when grouped by model.',
    required: false,
    example: 'sandbox-chat',
  })
  model?: string;

  @ApiProperty({
    description: 'The service that took the request. Present when grouped by entrypoint.',
    required: false,
    example: 'gateway',
  })
  entrypoint?: string;

  @MoneyProperty({ description: 'Cost of the group in USD, on both sites.', example: 0.002468 })
  cost_usd!: ExactNumber;

  @ApiProperty({ description: 'Input and output tokens of the group.', type: 'integer', example: 1_234 })
  tokens!: bigint;
}

export class CostPageResponse {
  @ApiProperty({ description: 'The groups, highest cost first.', type: [CostItemResponse] })
  items!: CostItemResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
