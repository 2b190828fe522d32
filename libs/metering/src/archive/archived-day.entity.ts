import { TimeColumn } from '@inference/database';
import { Check, Column, Entity } from 'typeorm';

/** A day of UTC whose usage events are in the object storage, too, or only there. */
@Entity('archived_days', { schema: 'metering' })
@Check('archived_days_day_check', `day = date_trunc('day', day, 'UTC')`)
export class ArchivedDay {
  /** Start of the day. */
  @TimeColumn({ primary: true })
  day!: Date;

  /** The exact text of the day's `manifest.json`: files, checksums, rows and sums. */
  @Column('text')
  manifest!: string;

  @Column('text')
  manifestSha256!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  archivedAt!: Date;

  /** From this time on the events of the day count by the manifest only. Null: they are in `usage_events`. */
  @TimeColumn({ nullable: true })
  droppedAt!: Date | null;

  /** When the events were brought back. */
  @TimeColumn({ nullable: true })
  restoredAt!: Date | null;
}
