import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Workspace } from '../workspaces/workspace.entity';

@Entity('documents', { schema: 'memo' })
@Index('documents_list', ['workspaceId', 'createdAt', 'id'])
@Unique(['workspaceId', 'externalId'])
export class MemoDocument {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('text', { nullable: true })
  externalId!: string | null;

  @Column('integer')
  version!: number;

  @Column('integer', { nullable: true })
  servingVersion!: number | null;

  @ForeignKey('accounts')
  @Column('text')
  createdBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
