import {
  ChoiceField,
  InstantField,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type ExactNumber } from '@inference/money';
import { type InstantMicros } from '@inference/time';
import { ApiProperty } from '@nestjs/swagger';
import { PastInstantField } from '../../validation/time-fields.decorator';
import { EXPORT_STATES, type ExportState } from './exported-hours.repository';

export class ExportsQuery extends PageQuery {
  @ChoiceField(EXPORT_STATES, {
    description: 'Lists hours in this state only.',
    example: 'exported',
    optional: true,
  })
  state?: ExportState;

  @InstantField({ description: 'Only hours that begin at this time or later.', optional: true })
  from?: InstantMicros;

  @InstantField({
    description: 'Only hours that begin before this time.',
    example: '2026-02-01T00:00:00Z',
    optional: true,
  })
  to?: InstantMicros;
}

export class ExportPath {
  @PastInstantField({ description: 'The start of the hour (UTC).', example: '2026-01-31T07:00:00Z' })
  hour!: Date;
}

const count = (description: string, example: number) =>
  ApiProperty({ description, type: 'integer', format: 'int64', nullable: true, example });

/** An hour of usage and ledger. The figures are those of the version that was exported last. */
export class ExportedHourResponse {
  @InstantProperty({ description: 'The start of the hour (UTC).' })
  hour!: string;

  @ApiProperty({
    description:
      '`exported`: its files are complete. `exporting`: it is being exported, or waits for that. `failed`: the last attempt has failed; the next one follows within minutes.',
    enum: EXPORT_STATES,
    example: 'exported',
  })
  state!: ExportState;

  @ApiProperty({ description: 'Grows when the hour is exported anew.', type: 'integer', example: 1 })
  version!: number;

  @ApiProperty({
    description: 'The name of the manifest in the export’s storage; null while its files are not complete.',
    type: String,
    nullable: true,
    example: 'manifests/date=2026-01-31/hour=07.json',
  })
  manifest!: string | null;

  @count('Rows of `usage`: calls.', 1_204)
  usage_rows!: number | null;

  @count('Rows of `usage_lines`: what was charged in each call.', 2_408)
  usage_line_rows!: number | null;

  @count('Rows of `ledger`: transactions of all wallets.', 310)
  ledger_rows!: number | null;

  @count('Size of the compressed files of `usage`, in bytes.', 40_960)
  usage_bytes!: number | null;

  @count('Size of the compressed files of `usage_lines`, in bytes.', 49_152)
  usage_line_bytes!: number | null;

  @count('Size of the compressed files of `ledger`, in bytes.', 8_192)
  ledger_bytes!: number | null;

  @count('Size of the compressed files, in bytes.', 98_304)
  bytes!: number | null;

  @ApiProperty({ description: 'Currency of the site.', example: 'USD' })
  currency!: string;

  @MoneyProperty({ description: 'Cost of the usage.', nullable: true, example: 12.5 })
  cost!: ExactNumber | null;

  @MoneyProperty({
    description: 'What the transactions changed all balances by.',
    nullable: true,
    example: 87.5,
  })
  balance_change!: ExactNumber | null;

  @InstantProperty({ description: 'When the files were complete.', nullable: true })
  exported_at!: string | null;

  @ApiProperty({
    description: 'Why the last attempt has failed.',
    type: String,
    nullable: true,
    example: null,
  })
  error!: string | null;
}

export class ExportListResponse {
  @ApiProperty({ description: 'The hours of the page, newest first.', type: [ExportedHourResponse] })
  exports!: ExportedHourResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class ExportProgressResponse {
  @ApiProperty({
    description:
      'Whether hours are exported: `EXPORT_S3_BUCKET` or `EXPORT_STORAGE_FOLDER` is set. Otherwise the figures are 0.',
    example: true,
  })
  enabled!: boolean;

  @InstantProperty({
    description: 'The end of the hours that are closed, and can be exported; null before the first usage.',
    nullable: true,
  })
  closed_until!: string | null;

  @ApiProperty({ description: 'Closed hours that are not exported.', type: 'integer', example: 0 })
  open_hours!: number;

  @ApiProperty({
    description: 'Of `open_hours`, those whose last attempt has failed.',
    type: 'integer',
    example: 0,
  })
  failed_hours!: number;

  @ApiProperty({
    description:
      'How long the oldest hour that is not exported has been over, in seconds; the metric `console_export_lag_seconds`.',
    type: 'integer',
    example: 125,
  })
  lag_seconds!: number;
}
