import { InstantProperty, MoneyProperty, NextCursorProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { PastInstantField } from '../../validation/time-fields.decorator';

const STATES = ['exported', 'exporting', 'failed'] as const;

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
    enum: STATES,
    example: 'exported',
  })
  state!: (typeof STATES)[number];

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
