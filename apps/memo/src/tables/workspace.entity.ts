import { BigIntColumn, TimeColumn } from '@inference/database';
import {
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';

/** In ascending order: each role includes the permissions of the roles before it. */
export const WORKSPACE_ROLES = ['viewer', 'editor', 'admin'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** Whether a role includes the permissions of another one. */
export const isAtLeast = (role: WorkspaceRole, other: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) >= WORKSPACE_ROLES.indexOf(other);

export const lowerRole = (one: WorkspaceRole, other: WorkspaceRole): WorkspaceRole =>
  isAtLeast(one, other) ? other : one;

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

/** A secret key of a workspace. It is deleted with the membership of its creator. */
@Entity('keys', { schema: 'memo' })
@Index('keys_member', ['workspaceId', 'accountId'])
@Unique(['keyHash'])
export class WorkspaceKey {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  /** The account that created the key. */
  @Column('text')
  accountId!: string;

  /** The membership of the key's creator. Only queries that join it read it. */
  @ManyToOne(() => WorkspaceMember, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'workspace_id', referencedColumnName: 'workspaceId' },
    { name: 'account_id', referencedColumnName: 'accountId' },
  ])
  member!: WorkspaceMember;

  @Column('text')
  name!: string;

  /** The part of the secret that may be shown. */
  @Column('text')
  prefix!: string;

  @Column('bytea')
  keyHash!: Buffer;

  /** What the key may do at most; it never may more than its creator. */
  @Column('enum', { enum: WORKSPACE_ROLES, enumName: 'role' })
  role!: WorkspaceRole;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Accurate to ten seconds. */
  @TimeColumn({ nullable: true })
  lastUsedAt!: Date | null;
}
