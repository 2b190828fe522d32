import { BigIntColumn } from '@inference/database';
import { Column, Entity } from 'typeorm';

@Entity('chunk_signatures', { schema: 'memo' })
export class ChunkSignature {
  @BigIntColumn({ primary: true })
  space!: bigint;

  @BigIntColumn({ primary: true })
  number!: bigint;

  @Column('bit varying')
  signature!: string;
}
