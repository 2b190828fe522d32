import { OMISSION_KINDS, type OmissionKind } from '../tables/omission';
import { ChoiceField, IdField, InstantProperty, NextCursorProperty, TextField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/workspace.guard';
import { FAILURE_CODES } from '../tables/extraction-error';
import { DOCUMENT_STATUSES, type DocumentStatus, type Metadata } from '../tables/document-version.entity';
import { type DocumentWithVersions } from './documents.repository';
import { isFileKept, MEDIA_TYPES, type MediaType } from '../tables/media-type';
import { METADATA_VALUE_SCHEMA } from '../tables/metadata-field.decorator';
import { ExternalIdField, MAX_TITLE_CHARS } from './uploads/upload.dto';

export class DocumentPath extends WorkspacePath {
  @IdField({ description: 'The id of the document.', noun: 'document', prefix: 'doc' })
  document_id!: string;
}

export class DocumentsQuery extends PageQuery {
  @ChoiceField(DOCUMENT_STATUSES, {
    description: 'Only documents whose newest version has this status.',
    optional: true,
  })
  status?: DocumentStatus;

  @TextField({
    description: 'Only documents whose title contains this text, in any case.',
    example: 'policy',
    maxLength: MAX_TITLE_CHARS,
    optional: true,
  })
  title?: string;

  @ExternalIdField({ description: 'Only the document with this `external_id`.', optional: true })
  external_id?: string;
}

export class DocumentProgressResponse {
  @ApiProperty({
    description:
      'How much is processed: in pages for PDF, slides for PPTX, chapters for EPUB, and in bytes for other formats.',
    type: 'integer',
    example: 3,
  })
  processed!: number;

  @ApiProperty({
    description: 'How much there is; null until it is known.',
    type: 'integer',
    nullable: true,
    example: 20,
  })
  total!: number | null;
}

export class DocumentErrorResponse {
  @ApiProperty({
    description:
      '`interrupted`: reading the document was interrupted again and again. The other codes are faults of the document.',
    enum: [...FAILURE_CODES, 'interrupted'],
    example: 'encrypted',
  })
  code!: string;

  @ApiProperty({ description: 'What is wrong, for people.', example: 'The PDF is protected by a password.' })
  message!: string;
}

export class OmissionResponse {
  @ApiProperty({
    description:
      '`hidden_text`, `deleted_text`, `reading_aid` (above East Asian words), `front_matter` and `repeated_text` (painted twice) count characters; the other kinds count things. `unreadable_part` are texts of a mail in an encoding that cannot be recognised. `page_without_text` are pages that hold pictures only or nothing, such as scans.',
    enum: OMISSION_KINDS,
    example: 'picture',
  })
  kind!: OmissionKind;

  @ApiProperty({ description: 'How much of it was left out.', type: 'integer', example: 3 })
  count!: number;

  @ApiProperty({
    description: 'The first pages on which it was found, from 1. Empty in formats without pages.',
    type: 'array',
    items: { type: 'integer' },
    example: [2, 5],
  })
  pages!: number[];
}

export class ReadingReportResponse {
  @ApiProperty({
    description: 'What the file holds and the text does not. Empty if nothing was left out.',
    type: [OmissionResponse],
  })
  left_out!: OmissionResponse[];
}

/** Except for `serving_version` and `chunk_count`, what changes between versions describes the newest version. */
export class DocumentResponse {
  @ApiProperty({ description: 'Names the document in this API.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The title of the newest version.', example: 'Refund policy' })
  title!: string;

  @ApiProperty({
    description: 'The caller’s own id of the document; null if it has none.',
    example: 'policy-1',
    type: 'string',
    nullable: true,
  })
  external_id!: string | null;

  @ApiProperty({
    description: 'The metadata of the newest version.',
    type: 'object',
    additionalProperties: METADATA_VALUE_SCHEMA,
    example: { author: 'Ann', pages: 3 },
  })
  metadata!: Metadata;

  @ApiProperty({
    description: 'The format of the newest version, by its content and file name.',
    enum: MEDIA_TYPES,
    example: 'text/plain',
  })
  media_type!: MediaType;

  @ApiProperty({
    description: 'The uploaded size of the newest version in bytes.',
    type: 'integer',
    example: 99,
  })
  bytes!: number;

  @ApiProperty({
    description: 'The status of the newest version. Its text is extracted in the background.',
    enum: DOCUMENT_STATUSES,
    example: 'ready',
  })
  status!: DocumentStatus;

  @ApiProperty({ description: 'The number of the newest version, from 1.', type: 'integer', example: 1 })
  version!: number;

  @ApiProperty({
    description: 'The version that search and citations use; null until a version was ready.',
    type: 'integer',
    nullable: true,
    example: 1,
  })
  serving_version!: number | null;

  @ApiProperty({
    description: 'SHA-256 of the uploaded file; for a JSON upload, of its text in UTF-8. Hexadecimal.',
    pattern: '^[0-9a-f]{64}$',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string;

  @ApiProperty({
    description:
      'Whether the file of the serving version is stored. It is stored of a PDF, to show its pages.',
    example: false,
  })
  has_file!: boolean;

  @ApiProperty({ description: 'How many chunks the serving version has.', type: 'integer', example: 1 })
  chunk_count!: number;

  @ApiProperty({
    description: 'How far the newest version is processed; null unless it is queued or processing.',
    type: DocumentProgressResponse,
    nullable: true,
  })
  progress!: DocumentProgressResponse | null;

  @ApiProperty({
    description: 'Why the newest version failed; null if it did not.',
    type: DocumentErrorResponse,
    nullable: true,
  })
  error!: DocumentErrorResponse | null;

  @ApiProperty({
    description: 'What was read of the serving version; null until a version was ready.',
    type: ReadingReportResponse,
    nullable: true,
  })
  report!: ReadingReportResponse | null;

  @ApiProperty({
    description: 'The id of the account that created the document.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  created_by!: string;

  @InstantProperty({ description: 'When the document was created.' })
  created_at!: string;

  @InstantProperty({ description: 'When the newest version was uploaded or became ready.' })
  updated_at!: string;
}

export class DocumentListResponse {
  @ApiProperty({ description: 'The documents, newest first.', type: [DocumentResponse] })
  documents!: DocumentResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

/** The stored file of the serving version; null if there is none, or if its text was all that was needed of it. */
export function fileOf(serving: DocumentWithVersions['serving']) {
  if (!serving || serving.uploadId === null || !isFileKept(serving.mediaType)) return null;
  const { uploadId, bytes, mediaType, version } = serving;
  return { uploadId, bytes: Number(bytes), mediaType, version };
}

export function responseOf({ newest, serving, ...document }: DocumentWithVersions): DocumentResponse {
  const isUnderWay = newest.status === 'queued' || newest.status === 'processing';
  return {
    id: document.id,
    title: newest.title,
    external_id: document.externalId,
    metadata: newest.metadata,
    media_type: newest.mediaType,
    bytes: Number(newest.bytes),
    status: newest.status,
    version: document.version,
    serving_version: document.servingVersion,
    sha256: newest.sha256.toString('hex'),
    has_file: fileOf(serving) !== null,
    chunk_count: serving?.chunkCount ?? 0,
    progress: isUnderWay
      ? {
          processed: Number(newest.processed),
          total: newest.total === null ? null : Number(newest.total),
        }
      : null,
    error: newest.errorCode === null ? null : { code: newest.errorCode, message: newest.errorMessage ?? '' },
    report: serving && { left_out: serving.omissions },
    created_by: document.createdBy,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}
