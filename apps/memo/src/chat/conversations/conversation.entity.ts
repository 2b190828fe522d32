import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceMember } from '../../workspaces/members/workspace-member.entity';

@Entity('conversations', { schema: 'memo' })
@Index('conversations_list', ['workspaceId', 'accountId', 'createdAt', 'id'])
@ForeignKey(() => WorkspaceMember, ['workspaceId', 'accountId'], ['workspaceId', 'accountId'], {
  onDelete: 'CASCADE',
})
export class Conversation {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('text')
  accountId!: string;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  keyId!: string | null;

  @Column('text')
  title!: string;

  @Column('integer', { default: 0 })
  lastMessage!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
