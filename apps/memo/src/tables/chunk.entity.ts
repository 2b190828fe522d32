import { BigIntColumn } from '@inference/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A part of the text of a version, as search finds it. The leads and texts of all chunks, in order, are the text without its
 * trailing white space.
 */
@Entity('chunks', { schema: 'memo' })
export class Chunk {
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  /** Index in the text, from 0. */
  @PrimaryColumn('integer')
  n!: number;

  /** UTF-16 offset of `text` in the whole text. */
  @Column('integer')
  startAt!: number;

  /** The white space before `text`. */
  @Column('text')
  lead!: string;

  /** Starts and ends without white space. */
  @Column('text')
  text!: string;
}

/** The signs of a vector's components, in a table of its own, because a search reads all signatures of a space. */
@Entity('chunk_signatures', { schema: 'memo' })
export class ChunkSignature {
  @BigIntColumn({ primary: true })
  space!: bigint;

  /** Number of the chunk in the workspace. */
  @BigIntColumn({ primary: true })
  number!: bigint;

  /** One bit for each component: whether it is negative. */
  @Column('bit varying')
  signature!: string;
}

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
