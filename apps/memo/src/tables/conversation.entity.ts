import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceMember } from './workspace-member.entity';

/** A conversation of a member, or of one key of a member. */
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

  /** The key that started the conversation; null for a session. Kept when the key is deleted. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  keyId!: string | null;

  @Column('text')
  title!: string;

  /** Number of the last message. A transaction that adds a message locks this row. */
  @Column('integer', { default: 0 })
  lastMessage!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
