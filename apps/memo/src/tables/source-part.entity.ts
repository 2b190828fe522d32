import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of an uploaded file, which is stored until its text is extracted; that of a PDF or of a failed version as long as the version is. */
@Entity('source_parts', { schema: 'memo' })
export class SourcePart {
  @PrimaryColumn('text', { collation: 'C' })
  uploadId!: string;

  /** From 0. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('bytea')
  bytes!: Buffer;
}
