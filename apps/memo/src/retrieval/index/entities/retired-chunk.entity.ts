import { BigIntColumn } from '@inference/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('retired_chunks', { schema: 'memo' })
export class RetiredChunk {
  @PrimaryColumn('text', { collation: 'C' })
  workspaceId!: string;

  @BigIntColumn({ primary: true })
  firstChunk!: bigint;

  @Column('integer')
  rangeLength!: number;

  @Column('integer')
  chunks!: number;

  @BigIntColumn()
  words!: bigint;
}
