import { BigIntColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A part of the word index of a workspace. A segment never changes; a merge replaces several by a larger one. Its packed
 * columns are those of PackedSegment.
 */
@Entity('segments', { schema: 'memo' })
@Index('segments_version', ['documentId', 'version'], { where: 'workspace_id IS NULL' })
@Index('segments_former_analysis', ['workspaceId'], { where: 'analysis < 2 AND workspace_id IS NOT NULL' })
@Index('segments_workspace', ['workspaceId'], { where: 'workspace_id IS NOT NULL' })
@Check('segments_check', '(workspace_id IS NULL) = (first_chunk IS NULL)')
export class Segment {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  /** Null until the version that the segment was built from is published. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  workspaceId!: string | null;

  /** The document that the segment was built from; null for a merged segment. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  documentId!: string | null;

  @Column('integer', { nullable: true })
  version!: number | null;

  /** Number of its first chunk in the workspace. */
  @BigIntColumn({ nullable: true })
  firstChunk!: bigint | null;

  /** The distances between the numbers of its chunks. */
  @Column('bytea')
  numbers!: Buffer;

  /** How many chunks it has, retired ones included. */
  @Column('integer')
  chunks!: number;

  @BigIntColumn()
  words!: bigint;

  /** The number of words of each chunk. */
  @Column('bytea')
  lengths!: Buffer;

  /** Number of chunks by language of the stemmer. */
  @Column('json')
  languages!: Record<string, number>;

  /** Version of the analysis that its terms come from (ANALYSIS). */
  @Column('smallint', { default: 1 })
  analysis!: number;

  /** The distinct words of five letters or more (packVocabulary). */
  @Column('bytea', { default: () => "'\\x'" })
  vocabulary!: Buffer;
}

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
