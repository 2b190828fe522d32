import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { type Component } from '../component';

/** An entry of the public changelog. */
@Entity('changelog_entries', { schema: 'catalogue' })
@Index('changelog_list', ['publishedAt', 'id'])
@Check('changelog_entries_component_check', "component IN ('engine', 'router', 'agent', 'memo')")
export class ChangelogEntry {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  title!: string;

  /** Markdown. */
  @Column('text')
  body!: string;

  @Column('text', { nullable: true })
  component!: Component | null;

  /** The release of the component. Null if the entry is about none. */
  @Column('text', { nullable: true })
  tagName!: string | null;

  @TimeColumn()
  publishedAt!: Date;

  /** The admin. */
  @ForeignKey(() => Account)
  @Column('text')
  publishedBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}
