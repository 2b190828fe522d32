import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Conversation } from './conversation.entity';

export const MESSAGE_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** A passage that an answer was written from. Its text is read from the document, so that it is gone with the version. */
export interface UsedPassage {
  documentId: string;
  version: number;
  chunkIndex: number;
  score: number;
}

/** A question or an answer of a conversation. */
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

  /** Number in the conversation, from 1. */
  @Column('integer')
  n!: number;

  @Column('text')
  role!: 'user' | 'assistant';

  @Column('text')
  content!: string;

  @Column('text')
  status!: MessageStatus;

  /** The model that wrote the answer; null for a question and for an answer of quoted sentences. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** Calls of models that the answer cost: their ids in the request log of the account. */
  @Column('text', { array: true, default: () => "'{}'" })
  requestIds!: string[];

  /** What the answer was written from, in the order of the numbers of citations. */
  @Column('json', { default: () => "'[]'" })
  passages!: UsedPassage[];

  /** UTF-16 offsets of the sentences that nothing supports. */
  @Column('json', { default: [] })
  unsupported!: { start: number; end: number }[];

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
