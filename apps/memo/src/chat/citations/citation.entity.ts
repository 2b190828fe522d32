import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MemoDocument } from '../../documents/document.entity';
import { Message } from '../conversations/message.entity';

@Entity('citations', { schema: 'memo' })
@Index('citations_document', ['documentId'])
export class Citation {
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

  @Column('integer')
  chunkIndex!: number;

  @Column('integer')
  startAt!: number;

  @Column('integer')
  endAt!: number;

  @Column('text')
  snippet!: string;
}
