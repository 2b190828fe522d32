import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('chunks', { schema: 'memo' })
export class Chunk {
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  @PrimaryColumn('integer')
  n!: number;

  @Column('integer')
  startAt!: number;

  @Column('text')
  lead!: string;

  @Column('text')
  text!: string;
}
