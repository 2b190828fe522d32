import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A part of the text of a version, as search finds it. The leads and texts of all chunks, in order, are the text without its
 * trailing white space.
 */
@Entity('chunks', { schema: 'memo' })
export class Chunk {
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  /** Index in the text, from 0. */
  @PrimaryColumn('integer')
  n!: number;

  /** UTF-16 offset of `text` in the whole text. */
  @Column('integer')
  startAt!: number;

  /** The white space before `text`. */
  @Column('text')
  lead!: string;

  /** Starts and ends without white space. */
  @Column('text')
  text!: string;
}
