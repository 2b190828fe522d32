import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import { WORKSPACE_ROLES, type WorkspaceRole } from './workspace-role';
import { WorkspaceMember } from './workspace-member.entity';

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
