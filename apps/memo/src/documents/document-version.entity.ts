import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { MemoDocument } from './document.entity';

@Entity('document_versions', { schema: 'memo' })
@Index('versions_chunks', ['workspaceId', 'firstChunk'], { unique: true })
// CREATE INDEX versions_embedded ON memo.document_versions USING btree (embedding_model, ((embedded < chunk_count))) WHERE (status = 'ready'::text)
@Index('versions_embedded', { synchronize: false })
@Index('versions_open', ['heartbeatAt'], { where: "status IN ('queued', 'processing')" })
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
  metadata!: unknown;

  @Column('text')
  mediaType!: string;

  @BigIntColumn()
  bytes!: bigint;

  @Column('bytea')
  sha256!: Buffer;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  uploadId!: string | null;

  @ForeignKey('accounts')
  @Column('text')
  uploadedBy!: string;

  @Column('text')
  status!: string;

  @Column('text', { nullable: true })
  runner!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  heartbeatAt!: Date;

  @Column('integer', { default: 0 })
  attempts!: number;

  @BigIntColumn({ default: 0 })
  processed!: bigint;

  @BigIntColumn({ nullable: true })
  total!: bigint | null;

  @BigIntColumn({ nullable: true })
  firstChunk!: bigint | null;

  @Column('integer', { default: 0 })
  chunkCount!: number;

  @BigIntColumn({ default: 0 })
  words!: bigint;

  @Column('text', { nullable: true })
  embeddingModel!: string | null;

  @Column('integer', { default: 0 })
  embedded!: number;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('text', { nullable: true })
  errorMessage!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
