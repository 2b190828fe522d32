import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

@Entity('workspaces', { schema: 'memo' })
@Index('workspaces_creator', ['createdBy'])
export class Workspace {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @ForeignKey('accounts')
  @Column('text')
  createdBy!: string;

  @BigIntColumn({ default: 0 })
  nextChunk!: bigint;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
