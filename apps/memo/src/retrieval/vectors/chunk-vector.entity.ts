import { BigIntColumn } from '@inference/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('chunk_vectors', { schema: 'memo' })
export class ChunkVector {
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  @PrimaryColumn('integer')
  n!: number;

  @BigIntColumn()
  space!: bigint;

  @BigIntColumn()
  number!: bigint;

  @Column('bytea')
  vector!: Buffer;
}
