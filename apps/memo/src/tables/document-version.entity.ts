import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MemoDocument } from './document.entity';
import { type MediaType } from './media-type';
import { type Omission } from './omission';

/** Names with values, as the customer sent them. */
export type Metadata = Record<string, string | number | boolean | null>;

export const DOCUMENT_STATUSES = ['queued', 'processing', 'ready', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** The newest version of a document, or the version that is served. */
@Entity('document_versions', { schema: 'memo' })
@Index('versions_chunks', ['workspaceId', 'firstChunk'], { unique: true })
// CREATE INDEX versions_embedded ON memo.document_versions USING btree (embedding_model, ((embedded < chunk_count))) WHERE (status = 'ready'::text)
@Index('versions_embedded', { synchronize: false })
@Index('versions_open', ['heartbeatAt'], { where: "status IN ('queued', 'processing')" })
@Index('versions_waiting', ['workspaceId', 'createdAt'], { where: "status = 'queued' AND attempts = 0" })
@Check('document_versions_check', "(status = 'failed') = (error_code IS NOT NULL)")
@Check('document_versions_check1', '(error_code IS NULL) = (error_message IS NULL)')
@Check('document_versions_check2', "(status = 'processing') = (runner IS NOT NULL)")
@Check('document_versions_check3', "(status = 'ready') = (first_chunk IS NOT NULL)")
@Check('document_versions_status_check', "status IN ('queued', 'processing', 'ready', 'failed')")
export class DocumentVersion {
  @ForeignKey(() => MemoDocument, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  documentId!: string;

  @PrimaryColumn('integer')
  version!: number;

  @Column({ type: 'text', collation: 'C' })
  workspaceId!: string;

  @Column('text')
  title!: string;

  @Column('json')
  metadata!: Metadata;

  @Column('text')
  mediaType!: MediaType;

  /** Size of the uploaded file. */
  @BigIntColumn()
  bytes!: bigint;

  /** Of the uploaded file; for a JSON upload, of its text in UTF-8. */
  @Column('bytea')
  sha256!: Buffer;

  /** The uploaded file in source_parts, as long as it is stored: until the version is ready, or longer (`isFileKept`). */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  uploadId!: string | null;

  /** The account that pays for the ingestion. */
  @ForeignKey('accounts')
  @Column('text')
  uploadedBy!: string;

  @Column('text')
  status!: DocumentStatus;

  /** Identifies the run that works on the version. A run that takes over writes its own value. */
  @Column('text', { nullable: true })
  runner!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  heartbeatAt!: Date;

  /** How often the ingestion was started. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** In pages or bytes, depending on the format. */
  @BigIntColumn({ default: 0 })
  processed!: bigint;

  /** In the unit of `processed`. */
  @BigIntColumn({ nullable: true })
  total!: bigint | null;

  /** Number of the first chunk in the workspace, once the version is served. The other chunks have the next numbers. */
  @BigIntColumn({ nullable: true })
  firstChunk!: bigint | null;

  @Column('integer', { default: 0 })
  chunkCount!: number;

  /** Number of words in all chunks. */
  @BigIntColumn({ default: 0 })
  words!: bigint;

  /** What the text lacks, and the file holds. */
  @Column('json', { default: [] })
  omissions!: Omission[];

  /** Offsets in the text at which the pages begin, of a format with pages. */
  @Column('integer', { array: true, default: [] })
  pageStarts!: number[];

  /** The model of the vectors. */
  @Column('text', { nullable: true })
  embeddingModel!: string | null;

  /** How many chunks, counted from the first, have vectors. */
  @Column('integer', { default: 0 })
  embedded!: number;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('text', { nullable: true })
  errorMessage!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

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
