import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MemoDocument } from './document.entity';
import { Message } from './message.entity';

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
