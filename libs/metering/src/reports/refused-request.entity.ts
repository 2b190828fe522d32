import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that was served and could not be charged: it is free for ever. Deleted after 30 days. */
@Entity('refused_requests', { schema: 'metering' })
@Index('refused_requests_settlement', ['settlementId'])
@Index('refused_requests_age', ['refusedAt'])
export class RefusedRequest {
  @PrimaryColumn('text')
  requestId!: string;

  @Column('text')
  accountId!: string;

  /** The batch under which it is never charged. */
  @Column('text')
  settlementId!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  refusedAt!: Date;

  /** What was to be charged, as `metering.settle` takes it. */
  @Column('jsonb')
  event!: Record<string, unknown>;
}
