import { BigIntColumn } from '@inference/database';
import { Column, Entity } from 'typeorm';

/** The chunks of a segment that contain a term, and how often. */
@Entity('postings', { schema: 'memo' })
export class Posting {
  @BigIntColumn({ primary: true })
  segmentId!: bigint;

  /** The hash of the term (`termId`). */
  @BigIntColumn({ primary: true })
  term!: bigint;

  /** How many chunks contain the term. */
  @Column('integer')
  chunks!: number;

  /** Packed by PostingsPacker. */
  @Column('bytea')
  data!: Buffer;
}
