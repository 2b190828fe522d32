import {
  ChoiceField,
  InstantProperty,
  IntegerParameter,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { GroupByField, PeriodQuery } from './period.dto';
import { GRANULARITIES, type Granularity } from './time-buckets';

/** The dimensions by which a report can be grouped (spec: Router cost item; beyond it `api_key`). */
export const COST_DIMENSIONS = ['user', 'model', 'entrypoint', 'api_key'] as const;
export type CostDimension = (typeof COST_DIMENSIONS)[number];

/** Parameters of the report of the router-cost service, which the console offers too. */
export class CostReportQuery extends PeriodQuery {
  @GroupByField(COST_DIMENSIONS, {
    description:
      'Comma-separated dimensions, each at most once: user, model, entrypoint, api_key. Without one, the report is one sum.',
    example: 'user,model',
    optional: true,
  })
  group_by: CostDimension[] = [];

  @ChoiceField(GRANULARITIES, {
    description:
      'Divides the groups by time: into days or months in `time_zone`, or hours of UTC. By the hour, at most 366 days can be asked for at once. Not divided by default.',
    example: 'day',
    optional: true,
  })
  granularity?: Granularity;

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
export class CostReportItem implements Partial<Record<CostDimension, string | null>> {
  @InstantProperty({
    description: 'Start of the hour, day or month, in UTC. Present with a granularity.',
    optional: true,
  })
  timestamp?: string;

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
    description:
      'Where the request came from: a service, or what the client named. Present when grouped by entrypoint.',
    required: false,
    example: 'gateway',
  })
  entrypoint?: string;

  @ApiProperty({
    description: 'Id of the API key; null for calls without one. Present when grouped by api_key.',
    type: String,
    nullable: true,
    required: false,
    example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  api_key?: string | null;

  @MoneyProperty({ description: 'Cost of the group in USD, on both sites.', example: 0.002468 })
  cost_usd!: ExactNumber;

  @ApiProperty({ description: 'Input and output tokens of the group.', type: 'integer', example: 1_234 })
  tokens!: bigint;
}

export class CostReportResponse {
  @ApiProperty({ description: 'The groups, highest cost first.', type: [CostReportItem] })
  items!: CostReportItem[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
