import { BigIntColumn } from '@inference/database';
import { Column, Entity } from 'typeorm';

/**
 * The postings of consecutive terms of a segment: the chunks that contain them, and how often. Segments that were written
 * before migration 0037 have a row for each term instead.
 */
@Entity('postings', { schema: 'memo' })
export class Posting {
  @BigIntColumn({ primary: true })
  segmentId!: bigint;

  /** The key of the block (PackedPostings), or the id of the only term. */
  @BigIntColumn({ primary: true })
  term!: bigint;

  /** How many chunks contain the term; 0 if there are several terms. */
  @Column('integer')
  chunks!: number;

  /** The list of the only term of a row without a block. */
  @Column('bytea', { nullable: true })
  data!: Buffer | null;

  /** Packed by PostingBlockPacker. */
  @Column('bytea', { nullable: true })
  block!: Buffer | null;
}
