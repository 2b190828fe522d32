import { BigIntColumn } from '@inference/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The embedding of a chunk. Only vectors of the same workspace, model and length can be compared; they form a space
 * (`spaceOf`).
 */
@Entity('chunk_vectors', { schema: 'memo' })
export class ChunkVector {
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  /** Index of the chunk in the version, from 0. */
  @PrimaryColumn('integer')
  n!: number;

  @BigIntColumn()
  space!: bigint;

  /** Number of the chunk in the workspace, as in segments. */
  @BigIntColumn()
  number!: bigint;

  /** 32-bit floats, little-endian. */
  @Column('bytea')
  vector!: Buffer;
}
