import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Workspace } from '../workspace.entity';

@Entity('members', { schema: 'memo' })
@Index('members_account', ['accountId', 'workspaceId'])
export class WorkspaceMember {
  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  workspaceId!: string;

  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  @Column('enum', { enum: ['viewer', 'editor', 'admin'], enumName: 'role' })
  role!: string;

  @Column('boolean')
  showsEmail!: boolean;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
