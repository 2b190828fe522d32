import { BigIntColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * Data that is not visible any more and is deleted in the background: the chunks, vectors and segments of a version, or the
 * postings of one segment.
 */
@Entity('garbage', { schema: 'memo' })
@Check(
  'garbage_check',
  '((document_id IS NULL) = (version IS NULL)) AND ((document_id IS NULL) <> (segment_id IS NULL))',
)
export class Garbage {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  documentId!: string | null;

  @Column('integer', { nullable: true })
  version!: number | null;

  @BigIntColumn({ nullable: true })
  segmentId!: bigint | null;
}

/** A range of chunks that are no longer served but still in segments. Searches ignore them; merges remove them. */
@Entity('retired_chunks', { schema: 'memo' })
export class RetiredChunk {
  @PrimaryColumn('text', { collation: 'C' })
  workspaceId!: string;

  @BigIntColumn({ primary: true })
  firstChunk!: bigint;

  /** How many chunks the range has, whether they are still in segments or not. */
  @Column('integer')
  rangeLength!: number;

  /** How many of its chunks are still in segments. */
  @Column('integer')
  chunks!: number;

  /** Words of the chunks that are still in segments. */
  @BigIntColumn()
  words!: bigint;
}
