import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WorkspaceMember } from '../members/workspace-member.entity';

@Entity('keys', { schema: 'memo' })
@Index('keys_member', ['workspaceId', 'accountId'])
@ForeignKey(() => WorkspaceMember, ['workspaceId', 'accountId'], ['workspaceId', 'accountId'], {
  onDelete: 'CASCADE',
})
@Unique(['keyHash'])
export class WorkspaceKey {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  prefix!: string;

  @Column('bytea')
  keyHash!: Buffer;

  @Column('enum', { enum: ['viewer', 'editor', 'admin'], enumName: 'role' })
  role!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  lastUsedAt!: Date | null;
}
