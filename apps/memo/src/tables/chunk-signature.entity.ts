import { BigIntColumn } from '@inference/database';
import { Column, Entity } from 'typeorm';

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
