import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WORKSPACE_ROLES, type WorkspaceRole } from './workspace-role';
import { Workspace } from './workspace.entity';

/** Clients read the list of members as a whole, so twice as many double that response; half would not hold a large department. */
export const MAX_MEMBERS = 1_000;

/** An account that may use a workspace. A transaction that changes members locks the row of the workspace. */
@Entity('members', { schema: 'memo' })
@Index('members_account', ['accountId', 'workspaceId'])
export class WorkspaceMember {
  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  workspaceId!: string;

  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  @Column('enum', { enum: WORKSPACE_ROLES, enumName: 'role' })
  role!: WorkspaceRole;

  /** Whether other members see the email address: if the member created the workspace, or was invited by that address. */
  @Column('boolean')
  showsEmail!: boolean;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
