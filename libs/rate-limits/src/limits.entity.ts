import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** What is limited: a key (`key:<id>`), or an account's use of a model (`account:<id>:<model>`). */
@Entity('subjects', { schema: 'limits' })
@Index('subjects_account', ['accountId'])
@Index('subjects_drawn', ['drawnAt'])
export class LimitSubject {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  /** The day (UTC) of `dayTokens`. */
  @Column('date')
  day!: string;

  @BigIntColumn({ default: 0 })
  dayTokens!: bigint;

  @TimeColumn()
  drawnAt!: Date;
}

/** Requests and tokens that a gateway process may admit until the end of the slice. They count for a minute after it. */
@Entity('slices', { schema: 'limits' })
class LimitSlice {
  @ForeignKey(() => LimitSubject, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  subjectId!: string;

  @PrimaryColumn('text')
  id!: string;

  @BigIntColumn()
  requests!: bigint;

  @BigIntColumn()
  tokens!: bigint;

  @TimeColumn()
  endsAt!: Date;
}

/** Calls that a gateway process may run at a time, until they expire. */
@Entity('slots', { schema: 'limits' })
class LimitSlots {
  @ForeignKey(() => LimitSubject, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  subjectId!: string;

  /** Id of the gateway process. */
  @PrimaryColumn('text')
  holder!: string;

  @Column('integer')
  slots!: number;

  @TimeColumn()
  expiresAt!: Date;
}

/** Limits that staff has set for an account in place of those of its tier. Null: no limit. */
@Entity('overrides', { schema: 'limits' })
export class LimitOverride {
  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  /** `*`: each model without limits of its own. */
  @PrimaryColumn('text')
  model!: string;

  @Column('integer', { nullable: true })
  requestsPerMinute!: number | null;

  @Column('integer', { nullable: true })
  tokensPerMinute!: number | null;

  @BigIntColumn({ nullable: true })
  tokensPerDay!: bigint | null;

  @Column('integer', { nullable: true })
  maxConcurrency!: number | null;

  @Column('text')
  reason!: string;

  /** The account of the member of staff. */
  @ForeignKey('accounts')
  @Column('text')
  setBy!: string;

  @TimeColumn({ default: () => 'now()' })
  setAt!: Date;

  /** Null: until staff ends it. */
  @TimeColumn({ nullable: true })
  endsAt!: Date | null;
}

/** What all gateways have admitted of a subject, by twelfths of a minute; of the last minutes. */
@Entity('part_uses', { schema: 'limits' })
@Index('part_uses_part', ['part'])
class LimitPartUse {
  @PrimaryColumn('text')
  subjectId!: string;

  /** Twelfths of a minute since 1970. */
  @PrimaryColumn('bigint')
  part!: bigint;

  @BigIntColumn()
  requests!: bigint;

  @BigIntColumn()
  tokens!: bigint;

  @Column('integer')
  running!: number;
}

/**
 * The most that a subject has used of its limits on a day, each with the limit that was in force then (null: there was none); and how
 * often each has refused.
 */
@Entity('day_uses', { schema: 'limits' })
@Index('day_uses_day', ['day'])
export class LimitDayUse {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  subjectId!: string;

  /** In UTC. */
  @PrimaryColumn('date')
  day!: string;

  @BigIntColumn()
  requests!: bigint;

  @BigIntColumn({ nullable: true })
  requestLimit!: bigint | null;

  @BigIntColumn()
  tokens!: bigint;

  @BigIntColumn({ nullable: true })
  tokenLimit!: bigint | null;

  @Column('integer')
  running!: number;

  @Column('integer', { nullable: true })
  runningLimit!: number | null;

  /** Of the whole day. */
  @BigIntColumn()
  dayTokens!: bigint;

  @BigIntColumn({ nullable: true })
  dayLimit!: bigint | null;

  @BigIntColumn()
  refusedRequests!: bigint;

  @BigIntColumn()
  refusedTokens!: bigint;

  @BigIntColumn()
  refusedRunning!: bigint;

  @BigIntColumn()
  refusedDay!: bigint;
}

/** The tables of the limits that gateways share. */
export const LIMIT_ENTITIES = [
  LimitDayUse,
  LimitOverride,
  LimitPartUse,
  LimitSlice,
  LimitSlots,
  LimitSubject,
];
