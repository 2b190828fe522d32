import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WORKSPACE_ROLES, type WorkspaceRole } from './workspace-role';
import { Workspace } from './workspace.entity';

/** How long an invitation is open at most. */
export const INVITATION_DAYS = 7;

/** Who has confirmed an address may become a member of a workspace. It is kept after its end, so that invitations can be counted. */
@Entity('invitations', { schema: 'memo' })
@Index('invitations_workspace', ['workspaceId', 'createdAt', 'id'])
@Index('invitations_email', ['email', 'createdAt', 'id'])
@Index('invitations_inviter', ['invitedBy', 'createdAt'])
@Index('invitations_created', ['createdAt'])
export class Invitation {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  /** Null once the workspace is deleted. */
  @ForeignKey(() => Workspace, { onDelete: 'SET NULL' })
  @Column({ type: 'text', collation: 'C', nullable: true })
  workspaceId!: string | null;

  /** In lower case. Whether an account has it is not known. */
  @Column('text')
  email!: string;

  @Column('enum', { enum: WORKSPACE_ROLES, enumName: 'role' })
  role!: WorkspaceRole;

  /** The account of the admin who invites. */
  @ForeignKey('accounts')
  @Column('text')
  invitedBy!: string;

  /** The confirmed address of that account. */
  @Column('text')
  inviterEmail!: string;

  /** Whether the address was told by mail. */
  @Column('boolean')
  isMailed!: boolean;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** When it was accepted, declined, revoked or replaced. */
  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
