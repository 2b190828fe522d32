import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('source_parts', { schema: 'memo' })
export class SourcePart {
  @PrimaryColumn('text', { collation: 'C' })
  uploadId!: string;

  @PrimaryColumn('integer')
  n!: number;

  @Column('bytea')
  bytes!: Buffer;
}
