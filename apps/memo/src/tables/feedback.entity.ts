import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Message } from './message.entity';
import { Workspace } from './workspace.entity';

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
