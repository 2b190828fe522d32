import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { MemoDocument } from './document.entity';
import { Workspace, WorkspaceMember } from './workspace.entity';

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

export const RATINGS = ['helpful', 'unhelpful'] as const;
export type Rating = (typeof RATINGS)[number];

/** What the member who asked thinks of an answer. The admins of the workspace read it with the question and the answer. */
@Entity('feedback', { schema: 'memo' })
@Index('feedback_workspace', ['workspaceId', 'createdAt', 'messageId'])
@Check('feedback_rating_check', "rating IN ('helpful', 'unhelpful')")
export class Feedback {
  @ForeignKey(() => Message, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  messageId!: string;

  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('text')
  rating!: Rating;

  /** Empty without one. */
  @Column('text')
  comment!: string;

  /** When it was given or changed. */
  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** The slice of a document's stored text to which a marker `[number]` of an answer refers. It is deleted with the document. */
@Entity('citations', { schema: 'memo' })
@Index('citations_document', ['documentId'])
export class MessageCitation {
  @ForeignKey(() => Message, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  messageId!: string;

  @PrimaryColumn('integer')
  number!: number;

  @ForeignKey(() => MemoDocument, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  documentId!: string;

  @Column('integer')
  version!: number;

  @Column('text')
  title!: string;

  /** Index of the passage in the document, from 0. */
  @Column('integer')
  chunkIndex!: number;

  /** UTF-16 offsets in the text of that version. */
  @Column('integer', { name: 'start_at' })
  start!: number;

  @Column('integer', { name: 'end_at' })
  end!: number;

  /** The slice with its white space collapsed. */
  @Column('text')
  snippet!: string;

  /** The page on which the slice begins, from 1; null in formats without pages, and of citations of former versions. */
  @Column('integer', { nullable: true })
  page!: number | null;
}
