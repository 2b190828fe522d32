import {
  ChoiceField,
  InstantProperty,
  IntegerParameter,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { GRANULARITIES, type Granularity, GroupByField, PeriodQuery } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

/** The dimensions by which a report can be grouped (spec: Router cost item; beyond it `api_key`). */
export const DIMENSIONS = ['user', 'model', 'entrypoint', 'api_key'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** What names a group: a bucket of time, if the report has a granularity, and the dimensions. */
export type GroupKey = Dimension | 'timestamp';

/** Whose cost a report covers: the caller's, or that of all accounts. */
export const SCOPES = ['own', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

export class CostQuery extends PeriodQuery {
  @GroupByField(DIMENSIONS, {
    description:
      'Comma-separated dimensions, each at most once: user, model, entrypoint, api_key. Without one, the report is one sum.',
    example: 'user,model',
    optional: true,
  })
  group_by: Dimension[] = [];

  @ChoiceField(GRANULARITIES, {
    description:
      'Divides the groups by time: into days or months in `time_zone`, or hours of UTC. By the hour, at most 366 days can be asked for at once. Not divided by default.',
    example: 'day',
    optional: true,
  })
  granularity?: Granularity;

  @ChoiceField(SCOPES, {
    description:
      'Whose cost: `own`: of the caller; `all`: of all accounts, for the roles admin and analyst. The default is `all` for these roles and `own` for others; a service that acts for an account gets `own` unless it asks for `all`. An API key with a spending limit or a list of models always gets its own calls only.',
    example: 'own',
    optional: true,
  })
  accounts?: Scope;

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

export const groupKeysOf = ({
  granularity,
  group_by: dimensions,
}: Pick<CostQuery, 'granularity' | 'group_by'>): readonly GroupKey[] =>
  granularity === undefined ? dimensions : ['timestamp', ...dimensions];

/** Spec: Router cost item. */
export class CostItemResponse implements Partial<Record<Dimension, string | null>> {
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

export class CostPageResponse {
  @ApiProperty({ description: 'The groups, highest cost first.', type: [CostItemResponse] })
  items!: CostItemResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
