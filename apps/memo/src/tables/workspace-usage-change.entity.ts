import { BigIntColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Workspace } from './workspace.entity';

/** A change of what a workspace stores. The sum of its rows counts; they are added up from time to time. */
@Entity('workspace_usage', { schema: 'memo' })
@Index('workspace_usage_workspace', ['workspaceId'])
export class WorkspaceUsageChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('integer')
  documents!: number;

  @BigIntColumn()
  bytes!: bigint;
}
