import { ChoiceField, InstantProperty, TextField } from '@inference/dto';
import { GroupByField, UNSERVED_KINDS, type UnservedKind } from '@inference/metering';
import { ApiProperty } from '@nestjs/swagger';
import { DayField } from '../../validation/time-fields.decorator';

export const UNSERVED_DIMENSIONS = ['day', 'status', 'error_code', 'model', 'upstream'] as const;
export type UnservedDimension = (typeof UNSERVED_DIMENSIONS)[number];

/** Longest names that gateways record. */
const MOST_NAME_CHARS = 200;

const Name = (description: string, example: string) =>
  TextField({ description, example, maxLength: MOST_NAME_CHARS, optional: true });

export class UnservedReportQuery {
  @DayField({
    description: 'The first day, of UTC. Six days before the present one by default.',
    optional: true,
  })
  from?: string;

  @DayField({ description: 'The day after the last one. Tomorrow by default.', optional: true })
  to?: string;

  @GroupByField(UNSERVED_DIMENSIONS, {
    description: `What the rows are of, comma-separated: some of ${UNSERVED_DIMENSIONS.join(', ')}. By default \`status,error_code\`.`,
    example: 'day,error_code',
    optional: true,
  })
  group_by?: UnservedDimension[];

  @ChoiceField(UNSERVED_KINDS, {
    description: 'Only calls that were refused, or only those that failed.',
    example: 'failed',
    optional: true,
  })
  status?: UnservedKind;

  @Name('Only calls with this error code.', 'rate_limit_exceeded')
  error_code?: string;

  @Name('Only calls that named this model.', 'demo-model')
  model?: string;

  @Name('Only calls whose last upstream was this one.', 'gpu-1')
  upstream?: string;
}

export class UnservedRowResponse {
  @ApiProperty({ description: 'The day, of UTC. Only if grouped by it.', format: 'date', required: false })
  day?: string;

  @ApiProperty({
    description:
      '`refused`: the request was at fault, or the wallet or a limit; `failed`: the platform or an upstream was. Only if grouped by it.',
    enum: UNSERVED_KINDS,
    required: false,
  })
  status?: UnservedKind;

  @ApiProperty({
    description: 'The code of the error. Only if grouped by it.',
    required: false,
    example: 'rate_limit_exceeded',
  })
  error_code?: string;

  @ApiProperty({
    description: 'As the calls named the model; null if they named none. Only if grouped by it.',
    type: String,
    required: false,
    nullable: true,
    example: 'demo-model',
  })
  model?: string | null;

  @ApiProperty({
    description: 'The last upstream that was asked; null if none was. Only if grouped by it.',
    type: String,
    required: false,
    nullable: true,
    example: 'gpu-1',
  })
  upstream?: string | null;

  @ApiProperty({ description: 'Calls that were recorded.', type: 'integer', example: 120 })
  calls!: bigint;

  @ApiProperty({ description: 'Accounts that made them.', type: 'integer', example: 3 })
  accounts!: bigint;
}

export class UnservedReportResponse {
  @ApiProperty({ description: 'The first day.', format: 'date', example: '2026-11-24' })
  from!: string;

  @ApiProperty({ description: 'The day after the last one.', format: 'date', example: '2026-12-01' })
  to!: string;

  @InstantProperty({
    description:
      'The start of the first day of which refused and failed calls are kept; null if there is none yet.',
    nullable: true,
  })
  recorded_since!: string | null;

  @ApiProperty({ description: 'All recorded calls that match.', type: 'integer', example: 4_000 })
  calls!: bigint;

  @ApiProperty({ description: 'Those of them that are in none of the rows.', type: 'integer', example: 0 })
  left_out_calls!: bigint;

  @ApiProperty({
    description: 'At most 1000 rows, those with the most calls. Days in order, otherwise most calls first.',
    type: [UnservedRowResponse],
  })
  rows!: UnservedRowResponse[];
}
