import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Workspace } from './workspace.entity';

/** A document of a workspace. Its contents are in its versions. */
@Entity('documents', { schema: 'memo' })
@Index('documents_creator', ['createdBy', 'createdAt', 'id'])
@Index('documents_list', ['workspaceId', 'createdAt', 'id'])
@Unique(['workspaceId', 'externalId'])
export class MemoDocument {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => Workspace, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  /** The id of the document in the customer's own system. */
  @Column('text', { nullable: true })
  externalId!: string | null;

  /** The newest version. A transaction that adds a version locks this row. */
  @Column('integer')
  version!: number;

  /** The version that search uses; null until a version is ready. */
  @Column('integer', { nullable: true })
  servingVersion!: number | null;

  @ForeignKey('accounts')
  @Column('text')
  createdBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
