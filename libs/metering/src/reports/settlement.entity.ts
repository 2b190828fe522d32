import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('settlements', { schema: 'metering' })
@Index('settlements_age', ['settledAt'])
export class Settlement {
  @PrimaryColumn('text')
  id!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  settledAt!: Date;

  @Column('text', { array: true, default: () => "'{}'" })
  refusedRequestIds!: string[];
}
