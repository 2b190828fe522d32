import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ResumableUpload } from './resumable-upload.entity';

/** A part of an upload. Its digest is stored before its content is, so that nobody writes other content. */
@Entity('upload_parts', { schema: 'catalogue' })
@Check('upload_parts_number_check', 'number > 0')
@Check('upload_parts_sha256_check', 'length(sha256) = 32')
export class UploadPart {
  @ForeignKey(() => ResumableUpload, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  packageId!: string;

  /** From 1. */
  @PrimaryColumn('integer')
  number!: number;

  @Column('bytea')
  sha256!: Buffer;

  /** When the storage had the content. */
  @TimeColumn({ nullable: true })
  storedAt!: Date | null;
}
