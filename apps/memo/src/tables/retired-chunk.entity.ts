import { BigIntColumn } from '@inference/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
