import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { type Origin } from '../../../../accounts/audit-log/actor';
import { Package } from '../../model.entity';

/** A package that arrives in parts. Its package exists from the beginning. */
@Entity('resumable_uploads', { schema: 'catalogue' })
@Index('resumable_uploads_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Check('resumable_uploads_announced_sha256_check', 'length(announced_sha256) = 32')
@Check('resumable_uploads_check', 'next_attempt_at IS NULL OR submitted_at IS NOT NULL')
@Check('resumable_uploads_check1', '(failure_code IS NULL) = (failure_message IS NULL)')
@Check('resumable_uploads_part_bytes_check', 'part_bytes > 0')
export class ResumableUpload {
  @ForeignKey(() => Package, { onDelete: 'CASCADE' })
  @PrimaryColumn('text')
  packageId!: string;

  /** Bytes of every part but the last one. */
  @BigIntColumn()
  partBytes!: bigint;

  /** The storage's own name of the upload. */
  @Column('text')
  storageUploadId!: string;

  /** The digest that the whole file must have; null if the client announced none. */
  @Column('bytea', { nullable: true, name: 'announced_sha256' })
  announcedSha256!: Buffer | null;

  /** When the file was last changed at the client. */
  @TimeColumn({ nullable: true })
  fileModifiedAt!: Date | null;

  /** When the client said that all parts had arrived. */
  @TimeColumn({ nullable: true })
  submittedAt!: Date | null;

  /** Where that request came from. */
  @Column('jsonb', { nullable: true })
  submittedFrom!: Origin | null;

  /** Null: there is nothing to do. */
  @TimeColumn({ nullable: true })
  nextAttemptAt!: Date | null;

  /** Including the one that is under way. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Until then one process joins and checks the parts and no other does. */
  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  @TimeColumn({
    nullable: true,
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression:
      'CASE WHEN (next_attempt_at IS NOT NULL) THEN GREATEST(next_attempt_at, claimed_until) ELSE NULL::timestamp with time zone END',
  })
  dueAt!: Date | null;

  @TimeColumn({ nullable: true })
  completedAt!: Date | null;

  /** Why it did not become a package, for programs. */
  @Column('text', { nullable: true })
  failureCode!: UploadFailureCode | null;

  /** The same for people. */
  @Column('text', { nullable: true })
  failureMessage!: string | null;
}

export const UPLOAD_FAILURE_CODES = ['digest_mismatch', 'parts_lost', 'version_conflict'] as const;
export type UploadFailureCode = (typeof UPLOAD_FAILURE_CODES)[number];

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
