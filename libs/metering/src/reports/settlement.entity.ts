import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A settled batch of usage events. A batch that is sent again after a broken connection is not settled again. Deleted
 * after a day.
 */
@Entity('settlements', { schema: 'metering' })
@Index('settlements_age', ['settledAt'])
export class Settlement {
  /** Chosen by the sender of the batch. */
  @PrimaryColumn('text')
  id!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  settledAt!: Date;

  /** Requests that the wallet did not cover. */
  @Column('text', { array: true, default: () => "'{}'" })
  refusedRequestIds!: string[];
}
