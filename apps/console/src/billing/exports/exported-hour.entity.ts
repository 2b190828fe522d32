import { BigIntColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index } from 'typeorm';

/** An hour of usage and ledger that is exported, or that a process exports now. */
@Entity('exported_hours', { schema: 'billing' })
@Index('exported_hours_open', ['hour'], { where: 'exported_at IS NULL' })
@Check('exported_hours_hour_check', `hour = date_trunc('hour', hour, 'UTC')`)
@Check('exported_hours_version_check', 'version > 0')
@Check(
  'exported_hours_exported_check',
  `exported_at IS NULL OR (manifest IS NOT NULL AND usage_rows IS NOT NULL AND usage_line_rows IS NOT NULL AND ledger_rows IS NOT NULL
    AND bytes IS NOT NULL AND cost_picos IS NOT NULL AND ledger_picos IS NOT NULL)`,
)
export class ExportedHour {
  /** Its start (UTC). */
  @TimeColumn({ primary: true })
  hour!: Date;

  /** Grows when the hour is exported anew. */
  @Column('integer', { default: 1 })
  version!: number;

  /** Names the process that works on it. */
  @Column('text')
  claim!: string;

  /** The end of the claim, or the time of the next attempt. */
  @TimeColumn()
  dueAt!: Date;

  /** Why the last attempt has failed. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** Null: the files of this version are not complete. */
  @TimeColumn({ nullable: true })
  exportedAt!: Date | null;

  /** The exact text of the manifest that was stored last. */
  @Column('text', { nullable: true })
  manifest!: string | null;

  @BigIntColumn({ nullable: true })
  usageRows!: bigint | null;

  @BigIntColumn({ nullable: true })
  usageLineRows!: bigint | null;

  @BigIntColumn({ nullable: true })
  ledgerRows!: bigint | null;

  /** Of the compressed files. */
  @BigIntColumn({ nullable: true })
  bytes!: bigint | null;

  @PicosColumn({ nullable: true })
  costPicos!: bigint | null;

  /** What the hour changed all balances by. */
  @PicosColumn({ nullable: true })
  ledgerPicos!: bigint | null;
}
