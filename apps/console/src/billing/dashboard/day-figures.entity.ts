import { BigIntColumn, CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Entity, PrimaryColumn } from 'typeorm';

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

/** The usage of a model in an hour. */
@Entity('hour_models', { schema: 'billing' })
export class HourModel {
  @TimeColumn({ primary: true })
  hour!: Date;

  @PrimaryColumn('text')
  model!: string;

  /** Null: the hour was settled before the rollup counted calls. */
  @BigIntColumn({ nullable: true })
  calls!: bigint | null;

  @CountColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}

/** The usage of an account on a day; on the day that is not over, in its hours that are summed. */
@Entity('day_accounts', { schema: 'billing' })
export class DayAccount {
  @TimeColumn({ primary: true })
  day!: Date;

  @PrimaryColumn('text')
  accountId!: string;

  @PicosColumn()
  costPicos!: bigint;

  /** The first hour of the day with usage of the account. */
  @TimeColumn()
  firstHour!: Date;
}

/** The margin of a whole day of UTC. */
@Entity('day_margins', { schema: 'billing' })
export class DayMargin {
  @TimeColumn({ primary: true })
  day!: Date;

  @BigIntColumn()
  calls!: bigint;

  /** Calls whose cost is not known. */
  @BigIntColumn()
  uncostedCalls!: bigint;

  @PicosColumn()
  revenuePicos!: bigint;

  /** What those calls brought in. */
  @PicosColumn()
  uncostedRevenuePicos!: bigint;

  @PicosColumn()
  costPicos!: bigint;
}

/** How far the figures are summed. One row. */
@Entity('figures_progress', { schema: 'billing' })
@Check('figures_progress_singleton_check', 'singleton')
export class FiguresProgress {
  @PrimaryColumn('boolean', { default: true })
  singleton!: boolean;

  /** The tables above hold the hours before this one (UTC). Null: none. */
  @TimeColumn({ nullable: true })
  summedUntil!: Date | null;
}

export const DAY_ENTITIES = [DayAccount, DayFigures, DayMargin, DayModel, FiguresProgress, HourModel];
