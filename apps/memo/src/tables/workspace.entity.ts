import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Documents, members and keys that belong together. */
@Entity('workspaces', { schema: 'memo' })
@Index('workspaces_creator', ['createdBy'])
export class Workspace {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  /** The account that created the workspace. */
  @ForeignKey('accounts')
  @Column('text')
  createdBy!: string;

  /** The next number for a chunk. A number is never used twice. */
  @BigIntColumn({ default: 0 })
  nextChunk!: bigint;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
