import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Conversation } from './conversation.entity';

@Entity('messages', { schema: 'memo' })
@Check('messages_role_check', "role IN ('user', 'assistant')")
@Check('messages_status_check', "status IN ('completed', 'failed', 'cancelled')")
@Unique(['conversationId', 'n'])
export class Message {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => Conversation, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  conversationId!: string;

  @Column('integer')
  n!: number;

  @Column('text')
  role!: string;

  @Column('text')
  content!: string;

  @Column('text')
  status!: string;

  @Column('text', { nullable: true })
  model!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
