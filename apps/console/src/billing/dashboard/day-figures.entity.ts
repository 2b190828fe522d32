import { BigIntColumn, CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

/** What a whole day of UTC amounted to for the site, beside its usage. */
@Entity('day_figures', { schema: 'billing' })
export class DayFigures {
  @TimeColumn({ primary: true })
  day!: Date;

  /** Null: the log did not have them when the day was summed. */
  @BigIntColumn({ nullable: true })
  failedCalls!: bigint | null;

  @BigIntColumn({ nullable: true })
  refusedCalls!: bigint | null;

  /** Calls whose time is known. */
  @BigIntColumn()
  timedCalls!: bigint;

  @CountColumn()
  durationMs!: bigint;
}

/** The usage of a model on a day. */
@Entity('day_models', { schema: 'billing' })
export class DayModel {
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  model!: string;

  /** Null: some hours of the day were settled before the rollup counted calls. */
  @BigIntColumn({ nullable: true })
  calls!: bigint | null;

  @CountColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}

/** The usage of an account on a day. */
@Entity('day_accounts', { schema: 'billing' })
export class DayAccount {
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  accountId!: string;

  @PicosColumn()
  costPicos!: bigint;
}

export const DAY_ENTITIES = [DayAccount, DayFigures, DayModel];
