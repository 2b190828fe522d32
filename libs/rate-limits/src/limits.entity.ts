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

/** The tables of the limits that gateways share. */
export const LIMIT_ENTITIES = [LimitOverride, LimitSlice, LimitSlots, LimitSubject];
