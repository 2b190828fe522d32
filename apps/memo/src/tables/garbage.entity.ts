import { BigIntColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

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
