import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** A conversation of the playground. */
@Entity('conversations', { schema: 'playground' })
@Index('conversations_list', ['accountId', 'updatedAt', 'id'])
export class SavedConversation {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('text')
  title!: string;

  /** A JSON object of the pages. */
  @Column('text')
  content!: string;

  @Column('integer')
  contentBytes!: number;

  /** Grows by one with each change of the content. */
  @Column('integer', { default: 1 })
  revision!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

/** An account without a row has the defaults. */
@Entity('settings', { schema: 'playground' })
export class PlaygroundSettings {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @Column('boolean')
  savesConversations!: boolean;
}
