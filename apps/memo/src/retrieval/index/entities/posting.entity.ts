import { BigIntColumn } from '@inference/database';
import { Column, Entity } from 'typeorm';

@Entity('postings', { schema: 'memo' })
export class Posting {
  @BigIntColumn({ primary: true })
  segmentId!: bigint;

  @BigIntColumn({ primary: true })
  term!: bigint;

  @Column('integer')
  chunks!: number;

  @Column('bytea')
  data!: Buffer;
}
